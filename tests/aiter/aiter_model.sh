#!/bin/sh
# aiter_model.sh - kpred-train aiter: AITER's list of shapes from a language model's config
# SPDX-License-Identifier: MIT
#
# The configs are hf_*.json; they have the sizes of the models that they are named for, and no more.
. tests/harness/script.inc

test_begin
need_trainer "lists of a model's shapes"
grep -q HAVE_JANSSON "$BUILD/libraries" || end_without "lists of a model's shapes" "there is no jansson"
aiter=$(absolute "${AITER_CSV:-../shared/aiter}")
here=$root/tests/aiter
cp "$here"/hf_*.json "$tmp"
cd "$tmp" || exit 1

# list MODEL TP [OPTION...]: of hf_MODEL.json, on standard output
list() {
    model=$1 tp=$2
    shift 2
    "$trainer" aiter --model "hf_$model.json" --tp "$tp" "$@"
}

# pairs MODEL TP: N,K line by line
pairs() {
    list "$1" "$2" --m 1 2>/dev/null | sed '1d;s/^1,//'
}

# gives MODEL TP PAIR...: these pairs of N and K, and no others
gives() {
    pairs "$1" "$2" >got || return 1
    shift 2
    printf '%s\n' "$@" | diff - got
}

# ---- the layers ----

check "DeepSeek-V3 on 8 GPUs" gives deepseek_v3 8 256,7168 512,7168 576,7168 1536,7168 2112,7168 \
    3072,1536 4096,512 4608,7168 7168,256 7168,2048 7168,2304
check "DeepSeek-V3 on one" gives deepseek_v3 1 576,7168 1536,7168 2048,7168 2112,7168 4096,7168 \
    7168,2048 7168,16384 7168,18432 24576,1536 32768,512 36864,7168
check "Qwen3-235B-A22B on 4: no dense layer" gives qwen3_235b 4 2304,4096 4096,2048
check "as many heads of keys as there are" gives qwen3_235b 8 1280,4096 4096,1024
check "Llama, 70 billion weights, on 8" gives llama 8 1280,8192 7168,8192 8192,1024 8192,3584

dense_layers() {
    sed 's/"mlp_only_layers": \[\]/"mlp_only_layers": [0]/' hf_qwen3_235b.json >hf_some.json
    sed 's/"decoder_sparse_step": 1/"decoder_sparse_step": 2/' hf_qwen3_235b.json >hf_step.json
    gives some 4 2304,4096 4096,2048 4096,3072 6144,4096 && gives step 4 2304,4096 4096,2048 4096,3072 6144,4096
}
no_dense_layers() {
    sed 's/"first_k_dense_replace": 3/"first_k_dense_replace": 0/;s/"n_shared_experts": 1/"n_shared_experts": null/' \
        hf_deepseek_v3.json >hf_bare.json
    gives bare 8 576,7168 1536,7168 2112,7168 3072,1536 4096,512 7168,2048
}
no_query_rank() {
    sed 's/"q_lora_rank": 1536/"q_lora_rank": null/' hf_deepseek_v3.json >hf_rank.json
    pairs rank 8 >got && ! grep -q ,1536 got && ! grep -q 2112, got && grep -qx 3072,7168 got
}
check "dense layers among experts, where the config has them" dense_layers
check "neither dense layers nor shared experts" no_dense_layers
check "queries of the hidden state" no_query_rank

inner_sizes() {
    gives qwen3_vl_32b 8 1280,5120 5120,1024 5120,3200 6400,5120 || return 1
    sed 's/qwen3_vl/qwen3_vl_moe/' hf_qwen3_vl_32b.json >hf_vl_moe.json && gives vl_moe 8 1280,5120 5120,1024
}
check "sizes in an inner object" inner_sizes
check "routed experts alone" gives minimax_m2 4 2048,3072 3072,1536

# ---- AITER's own lists ----

# covers MODEL TABLE: each pair of that list or table comes out on 1, 2, 4 or 8 GPUs
covers() {
    for tp in 1 2 4 8; do list "$1" $tp -o "$tp.csv" --force 2>err || return 1; done
    python3 "$here/hf_pairs.py" "$2" 1.csv 2.csv 4.csv 8.csv
}
lists=$aiter/model_configs.a8w8_blockscale
check_with "${lists}_untuned_gemm_ds_v3.csv.bz2" "AITER's list of DeepSeek-V3" \
    covers deepseek_v3 "${lists}_untuned_gemm_ds_v3.csv.bz2"
check_with "${lists}_untuned_gemm_qwen3_235b.csv.bz2" "AITER's list of Qwen3-235B" \
    covers qwen3_235b "${lists}_untuned_gemm_qwen3_235b.csv.bz2"
check_with "${lists}_bpreshuffle_untuned_gemm_dsv3.csv.bz2" "AITER's list of DeepSeek-V3.2, bpreshuffle" \
    covers deepseek_v32 "${lists}_bpreshuffle_untuned_gemm_dsv3.csv.bz2"
check_with "${lists}_tuned_gemm_glm5_1.csv.bz2" "AITER's table of GLM-5.1" \
    covers glm5 "${lists}_tuned_gemm_glm5_1.csv.bz2"
check_with "${lists}_tuned_gemm_qwen3_vl_32b.csv.bz2" "AITER's table of Qwen3-VL-32B" \
    covers qwen3_vl_32b "${lists}_tuned_gemm_qwen3_vl_32b.csv.bz2"
check_with "$aiter/a8w8_blockscale_tuned_gemm.csv.bz2" "AITER's table of MiniMax-M2" \
    covers minimax_m2 "$aiter/a8w8_blockscale_tuned_gemm.csv.bz2"

# ---- the list ----

each_m() {
    list qwen3_235b 4 2>err >got && [ "$(head -n 1 got)" = M,N,K ] && [ "$(wc -l <got)" -eq 33 ] &&
        grep -qx 1,2304,4096 got && grep -qx 32768,4096,2048 got && [ -z "$(sort got | uniq -d)" ] &&
        grep -qx 'kpred-train: 32 rows' err && grep -q 'N = 2304, K = 4096: qkv_proj$' err &&
        grep -q 'routed experts are left out' err && ! grep -q 'no quantization_config' err
}
some_m() {
    list llama 8 --m 16,1,16 2>err | cut -d, -f1 | paste -sd' ' | grep -qx 'M 1 16 1 16 1 16 1 16' &&
        grep -q 'hf_llama.json has no quantization_config' err && ! grep -q 'routed experts' err
}
# o_proj and down_proj have one size there.
same_size() {
    sed 's/28672/8192/; 1s/{/{"time_step_limit": [0.0, Infinity],/' hf_llama.json >hf_same.json && gives same 8 1280,8192 2048,8192 8192,1024
}
replaced() {
    list llama 8 -o a.csv 2>err && list llama 4 -o a.csv --force 2>err && list llama 4 2>err | cmp - a.csv
}
edited_stays() {
    cp a.csv copy.csv && refuses 1 "a.csv: is there already; --force replaces it" list llama 8 -o a.csv &&
        cmp a.csv copy.csv && refuses 1 "hf_llama.json" list llama 8 -o hf_llama.json --force
}
check "a row for each M, and what is said of it" each_m
check "--m, sorted and none twice" some_m
check "two layers of one size" same_size
check "--force replaces a list" replaced
check "-o alone replaces nothing" edited_stays

# ---- what it refuses ----

# bad PATTERN SED TP [MODEL]: the config changed so is refused with that message, and nothing is written
bad() {
    rm -f out.csv
    sed "$2" "hf_${4-deepseek_v3}.json" >hf_bad.json
    ! cmp -s hf_bad.json "hf_${4-deepseek_v3}.json" || [ -z "$2" ] || return 1
    refuses 1 "$1" "$trainer" aiter --model hf_bad.json --tp "$3" -o out.csv && [ ! -e out.csv ]
}
check "an unknown type" bad \
    'hf_bad.json:2:17: model_type: value "qwen3_next": it is no type whose layers kpred knows, which are d' \
    's/deepseek_v3/qwen3_next/' 8
check "no type" bad 'hf_bad.json: the config has no "model_type": it should be a string' '/model_type/d' 8
check "a type that is no string" bad 'model_type: value "3": it should be a string' 's/"deepseek_v3"/3/' 8
check "an unknown layer" bad \
    'layer_types: value "["full_attention","linear_attention"]": it has linear_attention, a layer that kpred does not know' \
    's/"vocab_size": 128256/"layer_types": ["full_attention", "linear_attention"]/' 8 llama
check "layers that are no list" bad 'layer_types: value "full_attention": it should be a list' \
    's/"vocab_size": 128256/"layer_types": "full_attention"/' 8 llama
for key in hidden_size intermediate_size moe_intermediate_size num_attention_heads kv_lora_rank qk_rope_head_dim \
    qk_nope_head_dim v_head_dim; do
    check "no $key" bad "hf_bad.json: the config has no \"$key\": it should be an integer from 1 to 16777216" \
        "/\"$key\"/d" 8
    for value in 0 -1 1.5 16777217 '"8"' null '[8]' true; do
        text=$(echo "$value" | tr -d '"')
        check "$key $value" bad ": $key: value \"$text\": it should be an integer from 1 to 16777216" \
            "s/\"$key\": [0-9]*/\"$key\": $value/" 8
    done
done
for key in q_lora_rank:1 first_k_dense_replace:0 n_shared_experts:0 moe_layer_freq:1; do
    check "${key%:*} \"a\"" bad ": ${key%:*}: value \"a\": it should be an integer from ${key#*:} to 16777216" \
        "s/\"${key%:*}\": [0-9]*/\"${key%:*}\": \"a\"/" 8
done
for key in num_key_value_heads head_dim; do
    check "$key 0" bad ": $key: value \"0\": it should be an integer from 1" \
        "s/\"$key\": [0-9]*/\"$key\": 0/" 4 qwen3_235b
done
check "decoder_sparse_step 0" bad ': decoder_sparse_step: value "0": it should be' \
    's/step": 1/step": 0/' 4 qwen3_235b
check "mlp_only_layers that are no list" bad ': mlp_only_layers: value "3": it should be a list' \
    's/layers": \[\]/layers": 3/' 4 qwen3_235b
check "GPUs that do not divide the heads" bad ':11:26: num_attention_heads: value "128": it should be a multiple of --tp, which is 3' \
    '' 3
check "nor the heads of keys" bad \
    'num_key_value_heads: value "6": it should be a multiple of --tp, which is 4' \
    's/8192/6144/;s/num_attention_heads": 64/num_attention_heads": 24/;s/num_key_value_heads": 8/num_key_value_heads": 6/' 4 llama
check "nor the dense layers" bad 'intermediate_size: value "18434": it should be a multiple of --tp, which is 8' \
    's/18432/18434/' 8
check "nor the shared experts" bad 'moe_intermediate_size: value "2044": it should be a multiple of --tp, which is 8' \
    's/2048/2044/' 8
check "heads of keys that do not divide the heads" bad \
    'num_key_value_heads: value "5": it should divide num_attention_heads' \
    's/num_key_value_heads": 8/num_key_value_heads": 5/' 1 llama
check "heads that do not divide the hidden size" bad \
    'num_attention_heads: value "60": it should divide hidden_size' \
    's/num_attention_heads": 64/num_attention_heads": 60/;s/num_key_value_heads": 8/num_key_value_heads": 4/' 4 llama
check "a layer that is too large" bad 'layer gate_up_proj: N = 33554432, K = 8192: a size goes to 16777216' \
    's/28672/16777216/' 1 llama
check "other blocks" bad 'quantization_config.weight_block_size: value "[64,64]": it should be [128,128]' \
    's/\[128, 128\]/[64, 64]/' 8
check "no blocks" bad 'the config has no "quantization_config.weight_block_size": it should be [128,128]' \
    's/, "weight_block_size": \[128, 128\]//' 8
check "another method" bad 'quantization_config.quant_method: value "awq": it should be fp8' 's/"fp8"/"awq"/' 8
check "a method that is no object" bad 'quantization_config: value "fp8": it should be an object' \
    's/"quantization_config": .*/"quantization_config": "fp8"/' 8
check "no index" bad 'the config has no "index_n_heads"' '/index_n_heads/d' 8 deepseek_v32
check "an indexer without a rank" bad 'q_lora_rank: value "null": it should be a number: the indexer needs it' \
    's/"q_lora_rank": 1536/"q_lora_rank": null/' 8 deepseek_v32
check "inner heads that do not divide the hidden size" \
    bad ':7:28: text_config.num_attention_heads: value "63": it should divide hidden_size' '/"head_dim"/d;s/: 64,/: 63,/;s/": 8,/": 8/' \
    1 qwen3_vl_32b
check "an inner size that is wrong" \
    bad ':6:26: text_config.intermediate_size: value "0": it should be an integer from 1' 's/25600/0/' 1 qwen3_vl_32b
check "no inner object" bad 'the config has no "text_config.hidden_size"' 's/"text_config"/"text"/' 1 qwen3_vl_32b
check "a key twice" bad ':4:3: hidden_size: it stands there twice' \
    '3s/.*/  "hidden_size": 1,\n  "hidden_size": 2,/' 8 llama
check "no JSON" bad 'hf_bad.json:1:1: here should be an object' 's/{/M,N,K/' 8 llama
check "a file that is cut" bad 'hf_bad.json' '$d' 8 llama
check "something behind it" bad 'something follows the object' '$s/}/} {}/' 8 llama
refuse "no such file" 1 "nowhere.json" "$trainer" aiter --model nowhere.json --tp 8
refuse "no --tp" 2 "--tp" "$trainer" aiter --model hf_llama.json
refuse "--tp 0" 2 "--tp" list llama 0
refuse "--m 0" 2 "--m" list llama 8 --m 0
refuse "--m beyond the largest" 2 "--m" list llama 8 --m 16777217
refuse "no --model" 2 "--model" "$trainer" aiter --tp 8

# ---- layer types that it knows ----

known_layers() {
    sed 's/"vocab_size": 128256/"layer_types": ["full_attention", "sliding_attention"]/' hf_llama.json >hf_known.json
    list known 8 2>err >got && list llama 8 2>err | cmp - got
}
check "kinds of attention that it knows" known_layers
test_end
