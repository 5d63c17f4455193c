"""servers.py - what a server reads for a layer that is no expert: by its own code, or by what that code once said

SPDX-License-Identifier: MIT

The functions are those of the packages vllm 0.33.0 and sglang 0.5.23, taken out of their files and run with stubs of
torch and of AITER. servers.txt has what they said, for suites that have no packages.
"""
import __future__
import ast
import functools
import json
import os
import re
import sys
import tempfile
import types
import zipfile
from contextlib import suppress
from unittest.mock import MagicMock

from report import read, run, write

WHEELS = {"vllm": "vllm==0.33.0", "sglang": "sglang==0.5.23"}
RECORDED = "tests/serve/servers.txt"
MS = [*range(1, 18), 31, 32, 33, 48, 49, 63, 64, 65, 80, 81, 96, 97, 112, 113, 127, 128, 129, 144, 145, 256, 257, 512,
      513, 544, 545, 1024, 1025, 2048, 2049, 2112, 4096, 4097, 8192, 16384, 32768]
# N and K that AITER has a Triton file of, as far as SGLang's code tells it
LISTED = {(1024, 8192), (16384, 1536), (2112, 7168), (3072, 1536), (32768, 8192), (4096, 7168), (4608, 7168),
          (512, 7168), (7168, 2048), (7168, 2304), (7168, 256), (8192, 1024), (8192, 32768)}


def package(name, folder):
    """The files of a wheel, from the folder or by pip; None: there is none"""
    begin = f"{name}-{WHEELS[name].split('=')[-1]}-"
    os.makedirs(folder, exist_ok=True)
    if not any(path.startswith(begin) for path in os.listdir(folder)):
        run(f"{sys.executable} -m pip download -q --no-deps -d {folder} {WHEELS[name]}", None)
    paths = [path for path in os.listdir(folder) if path.startswith(begin)]
    return zipfile.ZipFile(f"{folder}/{paths[0]}") if paths else None


@functools.cache
def parsed(wheel, path):
    return list(ast.walk(ast.parse(wheel.read(path).decode())))


def pick(wheel, path, names, space):
    """Runs the definitions of these names in the space, without decorators but those of methods"""
    found = []
    for node in parsed(wheel, path):
        targets = [t.id for t in getattr(node, "targets", ()) if isinstance(t, ast.Name)]
        if getattr(node, "name", None) in names or set(targets) & set(names):
            found.append(node)
            for inner in ast.walk(node):
                if hasattr(inner, "decorator_list"):
                    inner.decorator_list = [d for d in inner.decorator_list
                                            if getattr(d, "id", "") in ("staticmethod", "classmethod", "property")]
    found.sort(key=lambda node: node.lineno)
    flags = __future__.annotations.compiler_flag
    exec(compile(ast.Module(found, []), path, "exec", flags), space) # noqa: S102: the servers' code is the test
    return space


class Tensor:
    """What the functions ask of one of two dimensions"""
    dtype, device, is_cuda, _ptpc_weight, _mxscale_w_scale = "bf16", 0, True, None, None

    def __init__(self, *shape):
        self.shape, self.data = shape, self

    numel = lambda self: self.shape[0] * self.shape[1]
    dim, element_size, is_contiguous = lambda _: 2, lambda _: 2, lambda _: True
    size = lambda self, i=None: self.shape if i is None else self.shape[i]
    view = reshape = contiguous = lambda self, *_: self


class Code:
    """The servers' functions for a GPU"""

    def __init__(self, gfx, vllm, sglang):
        self.gfx, self.fnuz = gfx, gfx == "gfx942"
        self.torch = MagicMock(bfloat16="bf16", float16="fp16", Tensor=Tensor)
        self.modules = {}
        self.vllm_code(vllm, "vllm/")
        self.sglang_code(sglang, "sglang/srt/layers/quantization/")

    def module(self, name, **members):
        self.modules[name] = types.SimpleNamespace(**members)

    def ask(self, server, kind, n, k):
        """{what: the M for which it is read}"""
        sys.modules.update(self.modules)
        by = {}
        for m in MS if kind == "bf16" else MS[::16]:
            by.setdefault(getattr(self, server)(kind, n, k, m), set()).add(m)
        return {next(iter(by)): set(MS)} if len(by) == 1 else by

    # ---- vLLM ----

    def vllm_code(self, wheel, at):
        torch, fnuz = self.torch, self.fnuz
        self.module("vllm.platforms.rocm", on_gfx1x=lambda: False, on_gfx9=lambda: True, on_gfx11=lambda: False,
               on_gfx950=lambda: not fnuz, on_gfx1250=lambda: False)
        platform = types.SimpleNamespace(is_rocm=lambda: True, is_fp8_fnuz=lambda: fnuz, fp8_dtype=lambda: "fp8")
        # no table has rows
        self.module("aiter.ops.triton.utils.gemm_config_utils", get_gemm_config=lambda name, m, n, k: (
            None, name == "GEMM-A8W8_BLOCKSCALE" and (n, k) in LISTED))
        self.module("aiter.ops.gemm_op_a8w8", AITER_CONFIGS=MagicMock(), get_GEMM_config_with_quant_type=lambda *_: None)
        self.module("aiter.ops.gemm_op_a4w4", get_GEMM_config=lambda *_: None)
        self.module("aiter.ops.triton.gemm_a16w16", gemm_a16w16=lambda *_: "GEMM-A16W16")
        self.module("aiter.tuned_gemm", tgemm=MagicMock(mm=lambda *_: "bf16"))
        names = ("is_tgemm_enabled", "is_triton_gemm_w8a8_tuned", "is_triton_gemm_afp4wfp4_presh_ws_tuned",
                 "is_asm_fp4_gemm_tuned", "is_shuffled_per_token_w8a8_gemm_tuned", "is_per_token_w8a8_gemm_tuned")
        space = pick(wheel, f"{at}_aiter_ops.py", (*names, "_triton_gemm_config_is_tuned", "_ck_gemm_shape_is_tuned"), {
            "current_platform": platform, "torch": torch, "logger": MagicMock()})
        self.ops = ops = types.SimpleNamespace(
            **{name: space[name] for name in names}, is_triton_gemm_enabled=lambda: True, is_linear_enabled=lambda: True,
            gemm_a8w8_blockscale=lambda *_, **__: "a8w8_blockscale",
            triton_gemm_a8w8_blockscale=lambda *_, **__: "GEMM-A8W8_BLOCKSCALE")
        is_on = space["is_tgemm_enabled"].__func__ # of the class
        ops.is_tgemm_enabled = lambda: is_on(ops)
        base = type("Base", (), {"__init__": lambda s, config: setattr(s, "config", config)})
        self.mm = pick(wheel, f"{at}model_executor/kernels/linear/scaled_mm/aiter.py", (
            "AiterFp8BlockScaledMMKernel", "AiterPreshuffledPerTokenFp8ScaledMMLinearKernel",
            "AiterPerTokenFp8ScaledMMLinearKernel"), {
                "Fp8BlockScaledMMLinearKernel": base, "FP8ScaledMMLinearKernel": base, "torch": torch,
                "current_platform": platform, "rocm_aiter_ops": ops, "kFp8DynamicTokenSym": None})
        skinny = types.SimpleNamespace(reshape=lambda *_: "skinny")
        self.plain = pick(wheel, f"{at}model_executor/layers/utils.py", (
            "rocm_unquantized_gemm_impl", "wvsplitkrc_dispatch", "use_aiter_triton_gemm"), {
                "envs": MagicMock(VLLM_BATCH_INVARIANT=False), "torch": torch, "num_compute_units": lambda: 256,
                "ops": types.SimpleNamespace(wvSplitKrc=lambda *_: "skinny", wvSplitK=lambda *_: skinny,
                                             LLMM1=lambda *_: skinny),
                "rocm_aiter_ops": ops, "current_platform": platform})
        torch.nn.functional.linear = lambda *_: "torch"

    def vllm(self, kind, n, k, m):
        if kind == "block":
            kernel = self.mm["AiterFp8BlockScaledMMKernel"](MagicMock(weight_shape=(n, k)))
            kernel.weight_group_shape = (128, 128)
            one = MagicMock()
            return kernel.apply_block_scaled_mm(one, one, one, one)
        if kind == "channel":
            config = MagicMock(weight_shape=(n, k), out_dtype="bf16")
            for family, name in ("a8w8_bpreshuffle", "Preshuffled"), ("a8w8", ""):
                if self.mm[f"Aiter{name}PerTokenFp8ScaledMMLinearKernel"].can_implement(config)[0]:
                    return family
            return "torch"
        if kind == "fp4":
            return ("a4w4_blockscale" if self.ops.is_asm_fp4_gemm_tuned(n, k // 2)
                    and self.ops.is_triton_gemm_afp4wfp4_presh_ws_tuned(n, k // 2) else "GEMM-AFP4WFP4")
        return self.plain["rocm_unquantized_gemm_impl"](Tensor(m, k), Tensor(n, k), None)

    # ---- SGLang ----

    def sglang_code(self, wheel, at):
        torch, fnuz = self.torch, self.fnuz
        self.module("sglang.kernels.ops.gemm", smallm_fp8_blockscale_gfx950=MagicMock(
            try_smallm_fp8_bs_linear=lambda *_: None)) # it is there with hipcc alone
        said = {name: lambda *_, said=said, **__: MagicMock(to=lambda **_: MagicMock(view=lambda *_: said))
                for name, said in (("triton_gemm_a8w8_blockscale", "GEMM-A8W8_BLOCKSCALE"),
                                   ("gemm_a8w8_blockscale_bpreshuffle", "a8w8_blockscale_bpreshuffle"),
                                   ("ck_gemm_a8w8_blockscale", "a8w8_blockscale"))}
        self.fp8 = pick(wheel, f"{at}fp8_utils.py", (
            "aiter_w8a8_block_fp8_linear", "use_aiter_triton_gemm_w8a8_tuned_gfx950", "use_aiter_bpreshuffle_gemm"), {
                "torch": torch, "_FORCE_CK_W8A8": False, "_use_aiter": True, "_use_aiter_gfx95": not fnuz,
                "_use_aiter_gfx942": fnuz, "_use_aiter_bpreshuffle_gfx95": not fnuz, # ROCm 7.2
                "envs": MagicMock(**{"SGLANG_AITER_GFX942_BLOCKSCALE_USE_CK.get.return_value": False}),
                "is_e8m0_scale": lambda _: False, "aiter_per1x128_quant": lambda *_, **__: (MagicMock(), MagicMock()),
                "aiter": MagicMock(), "view_aiter_fused_rms_transposed_fp8_scale": lambda x: x,
                "materialize_bpreshuffle_fp8_scale": lambda x: x, **said})
        self.unquant = pick(wheel, f"{at}unquant.py", (
            "UnquantizedLinearMethod", "_prefer_triton_a16w16", "_A16W16_TRITON_MAX_K", "_A16W16_TRITON_MAX_M",
            "_A16W16_TRITON_NARROW_K", "_A16W16_TRITON_NARROW_K_MAX_M"), {
                "LinearMethodBase": object, "torch": torch, "use_intel_amx_backend": lambda _: False, "_use_aiter": True,
                "_is_gfx95": not fnuz, "_aiter_triton_a16w16": lambda *_, **__: "GEMM-A16W16",
                "tgemm": MagicMock(mm=lambda *_, **__: "bf16")})
        self.quark = pick(wheel, f"{at}quark/schemes/quark_w4a4_mxfp4.py", ("QuarkW4A4MXFP4",), {
            "QuarkLinearScheme": object, "_dequant_linear_to_bf16": False, "_use_aiter_asm_fp4_gemm": False,
            "is_gfx95_supported": lambda: not fnuz, "torch": torch})["QuarkW4A4MXFP4"]

    def sglang(self, kind, n, k, m):
        if kind == "block":
            return self.fp8["aiter_w8a8_block_fp8_linear"](Tensor(m, k), Tensor(n, k), [128, 128], MagicMock())
        if kind == "channel":
            return "a8w8_bpreshuffle" if self.fp8["use_aiter_bpreshuffle_gemm"](n) else "torch"
        layer = MagicMock(weight=Tensor(n, k))
        if kind == "fp4":
            self.quark.process_weights_after_loading(MagicMock(is_checkpoint_mxfp4_serialized=True), layer)
            return "a4w4_blockscale" if layer.use_aiter_asm_fp4_gemm else "GEMM-AFP4WFP4"
        return self.unquant["UnquantizedLinearMethod"]().apply(layer, Tensor(m, k), None)


# Where a server's package has its functions that look for a file of Triton's
LOADERS = {
    "vllm": ("vllm/model_executor/layers/fused_moe/fused_moe.py",
             "vllm/model_executor/layers/quantization/utils/fp8_utils.py"),
    "sglang": ("sglang/srt/layers/moe/moe_runner/triton_utils/fused_moe_triton_config.py",
               "sglang/kernels/ops/gemm/fp8_kernel.py")}
NAME = re.compile(r"(?:E=(\d+),)?N=(\d+),(?:K=(\d+),)?device_name=([^,]*?)(?:,dtype=([^,]*?))?"
                  r"(?:,block_shape=\[(\d+), ?(\d+)\])?(,per_channel_quant=True)?(_down)?\.json")


def load(wheel, server, out, name):
    """What the server's code finds in the folder for that of which the name is; the block GEMM's is its package's"""
    e, n, k, device, dtype, *block, per_channel, down = NAME.fullmatch(name).groups()
    block = [int(b or 0) for b in block]
    with tempfile.TemporaryDirectory() as at:
        os.symlink(os.path.abspath(out), f"{at}/configs")
        os.environ["SGLANG_MOE_CONFIG_DIR"] = os.path.abspath(out)
        space = {"os": os, "json": json, "logger": MagicMock(), "torch": MagicMock(), "__file__": f"{at}/x.py", "_is_cuda": True,
                 "get_device_name_as_file_name": lambda: device, "get_device_name": lambda: device,
                 "triton": types.SimpleNamespace(__version__="3.8.0"), "log_info_on_rank0": lambda *_: None,
                 "envs": types.SimpleNamespace(VLLM_BATCH_INVARIANT=False, VLLM_TUNED_CONFIG_FOLDER=out),
                 "get_exec": lambda: MagicMock(**{"deterministic.enable_deterministic_inference": False})}
        space["torch"]._dynamo.is_compiling.return_value = False
        names = ("get_config_file_name", "get_moe_configs") if e else ("get_w8a8_block_fp8_configs",)
        pick(wheel, LOADERS[server][not e], names, space)
        if not e:
            return space[names[0]](int(n), int(k), *block)
        more = {"per_channel_quant": bool(per_channel), "down_moe": bool(down)} if server == "sglang" else {}
        return space["get_moe_configs"](int(e), int(n), dtype, *block, **more)


def ranges(ms):
    """Of MS, as "1-5,9"; what goes to the end is open"""
    text, first = [], None
    for i, m in enumerate(MS):
        if m in ms and first is None:
            first = m
        if first is not None and (m not in ms or i + 1 == len(MS)):
            last = m if m in ms else MS[i - 1]
            text.append(f"{first}-" if m in ms else f"{first}-{last}")
            first = None
    return ",".join(text)


def unrange(text):
    found = set()
    for part in filter(None, text.split(",")):
        first, last = part.split("-")
        found.update(m for m in MS if int(first) <= m <= int(last or 1 << 30))
    return found


class Servers:
    """folder: of wheels; None: what was recorded"""

    def __init__(self, folder=None):
        self.wheels = wheels = {name: package(name, folder) for name in WHEELS} if folder else {}
        self.is_code = bool(wheels) and all(wheels.values())
        self.code = {gfx: Code(gfx, *wheels.values()) for gfx in ("gfx942", "gfx950")} if self.is_code else {}
        self.said = {}
        with suppress(OSError):
            for line in read(RECORDED).split("\n")[3:]:
                if line:
                    *key, said = line.split(" ")
                    self.said[" ".join(key)] = said
        self.asked = {}

    def reads(self, server, gfx, kind, n, k):
        """{table or Triton file: the M of MS for which it is read}"""
        key = f"{server} {gfx} {kind} {n} {k}"
        if self.is_code and key not in self.asked:
            by = self.code[gfx].ask(server, kind, n, k)
            self.asked[key] = ";".join(f"{what}:{ranges(ms)}" for what, ms in sorted(by.items()))
        said = self.asked[key] if self.is_code else self.said[key]
        return {what: unrange(ms) for what, ms in (part.split(":") for part in said.split(";"))}

    def record(self):
        write(RECORDED, "# servers.txt - what the code of vllm 0.33.0 and sglang 0.5.23 reads for a layer, for which "
              "tokens, where AITER's tables have no row\n# SPDX-License-Identifier: MIT\n# python3 "
              "tests/serve/test_serve_zoo.py --write writes it. server, GPU, weights, N, K, table or file:tokens;...\n"
              + "".join(f"{key} {said}\n" for key, said in sorted(self.asked.items())))
