"""test_bench_aiter.py - tools/lab/peers/aiter*.py, and the tables of tools/lab/report/gemm.sh aiter, on made-up tables"""
# SPDX-License-Identifier: MIT
import sys
import types

from report import check, check_with, end, folder, need, output, read, rows_of, run, write

need("python3-numpy")
sys.path[1:1] = ["tools/lab/peers", "tools/lab/report"]

import aiter as bench
import aiter_rows
import aiter_tables

NEW = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"
OLD = "cu_num,M,N,K,kernelId,splitK,us,kernelName"
RETUNES = "family,gfx,cu_num,M,N,K,extra,libtype,kernelName,splitK,us,date,commit"
KERNELS = "family,libtype,gfx,kernelId,kernelName,tile_m,tile_n,tile_k,is_default,fields"
BASE, OTHER = "a8w8_blockscale_tuned_gemm", "a8w8_blockscale_tuned_gemm_x"


def write_file(path, *lines):
    write(path, "\n".join(lines) + "\n")


def made_up():
    """Kernels a (the default), b and, on gfx950 alone, c; the base table is of an older schema."""
    write_file(f"{data}/{BASE}.csv.bz2", OLD, "304,16,512,1024,0,0.0,9,a", "304,64,512,1024,0,1,9,b",
               "304,16,640,1024,0,0,9,a", "304,128,640,1024,0,0,5,b")
    write_file(f"{data}/model_configs.{OTHER}.csv.bz2", NEW,
               "gfx942,304,16,768,1024,ck,0,0,4,a,1,1,0", "gfx942,304,128,768,1024,ck,0,0,4,b,1,1,0",
               "gfx942,304,128,640,1024,ck,0,0,4,a,1,1,0", "gfx950,256,64,896,1024,cktile,0,0,4,c,1,1,0")
    write_file(f"{data}/a8w8_blockscale_bpreshuffle_tuned_gemm.csv.bz2", NEW,
               "gfx950,256,16,512,1024,asm,0,0,4,_ZN5aiter9x_32x128E,1,1,0",
               "gfx950,256,32,512,1024,ck,0,3,4,q,1,1,0")
    for name, n in ("", 512), ("_x", 640):
        write_file(f"{data}/a8w8_bpreshuffle_tuned_gemm{name}.csv.bz2", NEW.replace("N,K,", "N,K,q_dtype_w,"),
                   f"gfx950,256,16,{n},1024,torch.int8,ck,0,0,4,z,1,1,0")
    write_file(f"{data}/kernels.csv.bz2", KERNELS, "a8w8_blockscale,ck,gfx942 gfx950,0,a,16,128,256,1,",
               "a8w8_blockscale,ck,gfx942 gfx950,1,b,64,128,128,0,", "a8w8_blockscale,cktile,gfx950,2,c,64,64,128,0,")
    run = "a8w8_blockscale,gfx942,304,64,512,1024,,ck"
    write_file(f"{data}/retunes.csv.bz2", RETUNES, f"{run},a,0,18,2026-01-01,p", f"{run},b,1,9,2026-01-11,q",
               f"{run},b,1,10,2026-01-20,r", f"{run},a,0,12,2026-03-01,s")


def reader():
    rows = aiter_rows.read_tables(data, "bs")
    by = {row.problem: row for row in rows}
    assert len(rows) == 7 and by["gfx942_304", 16, 512, 1024].label == ("ck", "a", 0)
    assert by["gfx942_304", 64, 512, 1024].label == ("ck", "b", 1)
    assert by["gfx942_304", 128, 640, 1024][2:] == (("ck", "a", 0), 4), "the faster one is kept"
    assert aiter_rows.narrow_files(rows) == {OTHER}
    labels = [row.label for row in aiter_rows.read_tables(data, "bsp")]
    assert labels == [("asm", "_ZN5aiter9x_32x128E", 1), ("ck", "q", 0)], labels
    assert aiter_rows.tile_of_name(labels[0][1]) == (32, 128, 0)
    fly = "flydsl_mxfp8_128_bpreshuffle_compute_wmma_t128x256x512_mw2_nw2_nb3_sk1_cm1_cn4"
    assert aiter_rows.tile_of_name(fly) == (128, 256, 512)


def folds():
    rows = aiter_rows.read_tables(data, "bs")
    parts = {name: (train, tested) for name, train, tested in aiter_rows.folds_of("file", rows)}
    assert set(parts) == {BASE, OTHER}
    train, tested = parts[OTHER]
    assert len(tested) == 4 and {row.problem[2] for row in train} == {512}, "640 is of both"
    for test in ("config", "shape"):
        (_, train, tested), = aiter_rows.folds_of(test, rows)
        assert len(train) + len(tested) == len(rows)
        keys = [{aiter_rows.key_of(test, row.problem) for row in part} for part in (train, tested)]
        assert not keys[0] & keys[1]


def rules():
    def served(*rows):
        table = {("g", m, n, 64): m for m, n in rows}
        return lambda m, n=512: aiter_rows.look_up(table, ("g", m, n, 64))
    found = served((16, 512), (320, 512), (512, 512), (8192, 8192))
    assert [found(m) for m in (1, 16, 17, 300, 321, 512, 513)] == [16, 16, None, 320, 512, 512, None]
    assert found(20000, 8192) == 8192 and served((32768, 512))(20000) == 32768
    assert [aiter_rows.fine_m(m) for m in (1, 256, 257, 1024, 1025, 4096, 4097)] \
        == [16, 256, 288, 1024, 1088, 4096, 4224]
    assert [s for s in range(1, 9) if aiter_rows.may_split(1024, s)] == [1, 2, 3, 4, 8]
    archs = {"a": {"gfx942"}}
    legal = lambda gpu, k, split: aiter_rows.is_legal(  # noqa: E731
        "bs", (gpu, 1, 512, k), ("ck", "a", split), (16, 128, 256), archs)
    assert legal("gfx942_304", 512, 1) and not legal("gfx942_304", 512, 2)
    assert not legal("gfx950_256", 512, 0)


def outcomes(method):
    """What aiter.py wrote, (m, n), place and first, by file."""
    return {(x["file"], int(x["m"]), int(x["n"])): (int(x["place"]), x["first"])
            for x in rows_of(read(f"{out}/bs-file-{method}.csv"))}


def methods():
    """Without the other table, 512 and 768 are known; without the base table, 768 and 896."""
    its = outcomes("aiter")
    assert its[BASE, 16, 512] == (1, "ck|a|0") and its[BASE, 64, 512] == (0, "ck|a|0"), "the default"
    row = lambda m: aiter_rows.Row("f", ("gfx942_304", m, 512, 64), ("ck", "b", 0), 1)  # noqa: E731
    task = types.SimpleNamespace(family="bs", kernels=[], train=[row(16)], tested=[row(5)])
    assert list(bench.aiter(task)) == [[("ck", "b", 0)]], "the row of 16 serves 5"
    near = outcomes("nearest")
    assert near[OTHER, 16, 768] == (1, "ck|a|0") and near[OTHER, 128, 768] == (0, "ck|b|1")
    assert near[OTHER, 64, 896] == (0, ""), "nothing is known of that GPU"
    often = outcomes("frequency")
    assert often[BASE, 16, 640] == (1, "ck|a|0") and often[BASE, 64, 512] == (0, "ck|a|0")


def figures():
    row = lambda m, n, place: aiter_tables.Outcome("bs", "f", ("g", m, n, 1), None, place, None)  # noqa: E731
    some = [row(1, 1, 1), row(2, 1, 2), row(3, 1, 9), row(4, 2, 1)]
    assert aiter_tables.micro(some, 1)[0] == 50 and aiter_tables.micro(some, 3)[0] == 75
    assert abs(aiter_tables.micro(some, 1)[1] - 100 * (2 * .5 ** 2) ** .5 / 4) < 1e-9
    mean, error = aiter_tables.macro(some, 1)
    assert abs(mean - 100 * 2 / 3) < 1e-9 and abs(error - 100 * (2 / 9) ** .5 / 2) < 1e-9
    a = dict(enumerate(some))
    b = {i: o._replace(place=0) for i, o in a.items()}
    assert aiter_tables.difference(a, b, 1, "")[0] == 50
    assert aiter_tables.triple({0: some[0]}) == ["100.0"] * 3, "one (N, K) has no error"
    assert aiter_tables.part_of("bs", 512) == "bs low" and aiter_tables.band_of(row(65, 1, 1)) == "65-512"


def times():
    found = {("bs", "shape"): {"network": {}}}
    part = [x.split(" | ") for x in aiter_tables.shares(found, data)["shares"][2:]]
    assert [line[:5] for line in part] == [["| bs, M <= 512", "1", "AITER's default", "1", "0.750"],
                                           ["| bs, M <= 512", "1", "the table's label", "1", "1.000"]], part
    noise = aiter_tables.noise(data)[2:]
    assert noise == ["| bs, M <= 512 | 2 | 50.0 | 10.5 | 69.3 |"], noise


tmp = folder()
data, out = f"{tmp}/data", f"{tmp}/hits"
AITER = f"{sys.executable} tools/lab/peers/aiter.py {data} -o {out}"


def aiter(arguments):
    run(f"{AITER} --families bs --tests file --methods {arguments}")


def report():
    text = output(f"{sys.executable} tools/lab/report/aiter_tables.py {out} {data} -o {tmp}/tables")
    assert "\n| bs, M <= 512 | nearest neighbour | 7 (4) | 42.9 " in read(f"{tmp}/tables/file_all.md")
    assert "\n| bs, M <= 512 | nearest neighbour | 4 (3) | 25.0 " in read(f"{tmp}/tables/file.md")
    assert "\n### noise" in text


def whole():
    """Without the network: only other methods, and what is measured is not measured again"""
    line, options = f"sh tools/lab/report/gemm.sh aiter {tmp}/build {data}", dict(FAMILIES="bp", TESTS="file", METHODS="nearest", NETWORK="")
    run(line, env=options)
    assert "\n| bp | nearest neighbour | 2 (2) | 100.0 " in read(f"{tmp}/build/aiter/tables/file_all.md")
    path = f"{tmp}/build/aiter/hits/bp-file-nearest.csv"
    kept = read(path).replace(",1,ck|z|0\n", ",0,ck|z|0\n")
    write(path, kept)
    assert "\n| bp | nearest neighbour | 2 (2) | 0.0 " in output(line, env=options) and read(path) == kept


def refused(text, arguments):
    done = run(f"{AITER} {arguments}", None)
    assert done.returncode != 0 and text in done.stderr, done


check("made-up tables", made_up)
check("classes, of every schema", reader)
check("a file left out takes its (N, K) with it", folds)
check("look-up, splits and limits", rules)
check("aiter.py: methods", aiter, "aiter,nearest,frequency")
check("what they name first", methods)
check_with("python3-sklearn", "aiter.py: forest", aiter, "forest,forest-blind")
check_with("python3-xgboost", "aiter.py: boosted", aiter, "boosted --rounds 2")
check("figures and errors", figures)
check("shares of the best time, label noise", times)
check("aiter_tables.py", report)
check("aiter.sh", whole)
check("a method it does not know", refused, '--methods: "best"', "--methods best")
check("no table", refused, "there is no table of a4w4_blockscale_tuned_gemm", "--families a4w4")
check("no header", refused, "none/bs-config.h: No such file",
      "--families bs --tests config --methods network --models none")
end()
