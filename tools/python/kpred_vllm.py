"""kpred_vllm.py - vLLM's plug-in: where vLLM finds no tuned configuration of a Triton kernel, kpred predicts it

SPDX-License-Identifier: MIT

vLLM calls register() in each of its processes (entry point `kpred` of the group `vllm.general_plugins`). KPRED=off
leaves all as it is, KPRED=report says what would be predicted, KPRED=on, or nothing, predicts. vLLM's own function
looks for a file first, so tuned files win. What goes wrong here is told, and vLLM's default is taken. Nothing is
written, and neither torch nor vLLM is imported.
"""
import contextlib
import ctypes
import functools
import json
import logging
import os
import sys
import threading
import types

# By module: the function that looks for a file, and its parameters
LOOKUPS = {
    "vllm.model_executor.layers.fused_moe.fused_moe": ("get_moe_configs", ("E", "N", "dtype", "block_n", "block_k")),
    "vllm.model_executor.layers.quantization.utils.fp8_utils": (
        "get_w8a8_block_fp8_configs", ("N", "K", "block_n", "block_k"))}
NOT_FOUND = "Config file not found at" # so the warning ends, and the paths follow
MODES = ("on", "report", "off")
LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kpred", "libkpred_served.so")

log = logging.getLogger("vllm.kpred") # whose lines are where vLLM's are
lock = threading.Lock() # the library takes one call at a time


def mode():
    return os.environ.get("KPRED", "").strip().lower() or "on"


@functools.lru_cache(maxsize=None)
def warn(text):
    log.warning("kpred: %s; vLLM's default is taken", text)


class Guard:
    """What fails within is told, and vLLM goes on."""

    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        if error is None or not isinstance(error, Exception):
            return False
        with contextlib.suppress(Exception):
            warn(f"{kind.__name__}: {error}")
        return True


# ---- the answer ----

@functools.lru_cache(maxsize=None)
def library():
    loaded = ctypes.CDLL(LIBRARY)
    loaded.kpred_served.restype, loaded.kpred_served.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    loaded.kpred_served_free.restype, loaded.kpred_served_free.argtypes = None, [ctypes.c_void_p]
    return loaded


def served(name):
    """What `kpred serve` says of a file: answered_by, why, model, tile, file; None: it is none that kpred knows"""
    with lock:
        answer = library().kpred_served(name.encode())
        if not answer:
            return None
        try:
            return json.loads(ctypes.string_at(answer))
        finally:
            library().kpred_served_free(answer)


def sentence(name, said, is_report):
    """The line of a look-up in the log"""
    if not is_answered(said):
        why = said and said["why"] or "its name is of another form, or standard error says why"
        return f"kpred has no answer for {name}: {why.replace(': --nearest', '; `kpred serve --nearest` writes one')}"
    if said["file"]:
        share = f"; a tuning should find the same tile in {said['tile']} % of its sizes" if said["tile"] >= 0 else ""
        does = f"{'would predict' if is_report else 'predicts'} {name} by its model {said['model']}{share}"
    else:
        does = f"{'would leave' if is_report else 'leaves'} vLLM's default for {name}"
    return f"kpred {does}{' (' + said['why'] + ')' if said['why'] else ''}. KPRED=off switches kpred off"


def is_answered(said):
    """By a file, or by the server's default, for which vLLM's own function is better than a file of some sizes"""
    return said is not None and (said["file"] is not None or said["answered_by"] == "server's default")


def answer(name, logger):
    """(The configuration of each number of tokens, as vLLM reads it from a file, or None: its default is taken; was it
    chosen so?)"""
    is_report = mode() == "report"
    said = served(name)
    getattr(logger, "info_once", logger.info)(sentence(name, said, is_report))
    if is_report or not is_answered(said):
        return None, False
    return {int(m): config for m, config in (said["file"] or {}).items()} or None, True


# ---- vLLM's function ----

class Listener:
    """Stands in for the logger of vLLM's function: keeps the warning of a missing file, and passes on all else"""

    def __init__(self, logger):
        self.logger, self.kept, self.path = logger, None, None

    def __getattr__(self, name):
        return getattr(self.logger, name)

    def warning(self, *words, **options):
        self.hear(self.logger.warning, words, options)

    def warning_once(self, *words, **options):
        self.hear(self.logger.warning_once, words, options)

    def hear(self, tell, words, options):
        if len(words) == 2 and NOT_FOUND in words[0]:
            self.kept, self.path = functools.partial(tell, *words, **options), words[1]
        else:
            tell(*words, **options)


def heard(module, plain, words, options):
    """What vLLM's function finds, and the listener. It runs as it is, but for its logger."""
    listener = Listener(module.logger)
    run = types.FunctionType(plain.__code__, {**vars(module), "logger": listener}, plain.__name__, plain.__defaults__)
    run.__kwdefaults__ = plain.__kwdefaults__
    return run(*words, **options), listener


def asking(module, plain):
    """vLLM's function, with an answer where it finds nothing"""
    @functools.lru_cache # as vLLM's has
    @functools.wraps(plain)
    def asked(*words, **options):
        try:
            found, listener = heard(module, plain, words, options)
        except Exception: # vLLM's own comes again
            return plain(*words, **options)
        if found is not None or listener.kept is None: # without a warning it looked for no file
            return found
        is_chosen = False
        with Guard():
            found, is_chosen = answer(os.path.basename(listener.path), listener.logger)
        if not is_chosen:
            listener.kept()
        return found
    asked.is_kpreds = True
    return asked


def is_known(plain, parameters):
    """Is it a function that looks for a file and warns of a missing one, as those that this plug-in knows?"""
    code = getattr(plain, "__code__", None)
    return (isinstance(plain, types.FunctionType) and code.co_varnames[:code.co_argcount] == parameters
            and any(isinstance(text, str) and NOT_FOUND in text for text in code.co_consts))


def patch(module):
    """Puts ours in the place of vLLM's, also where another module has taken it."""
    name, parameters = LOOKUPS[module.__name__]
    theirs = getattr(module, name, None)
    if getattr(theirs, "is_kpreds", False):
        return
    plain = getattr(theirs, "__wrapped__", theirs)
    if not is_known(plain, parameters) or not hasattr(module, "logger"):
        warn(f"{module.__name__}.{name} is not as kpred knows it, of vLLM 0.19 to 0.33")
        return
    ours = asking(module, plain)
    for other in [module, *(m for key, m in list(sys.modules.items()) if key.startswith("vllm."))]:
        if getattr(other, "__dict__", {}).get(name) is theirs:
            setattr(other, name, ours)


# ---- when vLLM imports it ----

def patch_behind(loader):
    """Has the loader patch the module when it has run it"""
    run = loader.exec_module

    def exec_module(module):
        run(module)
        with Guard():
            patch(module)
    loader.exec_module = exec_module # of this module alone


class Finder:
    """Finds the modules of LOOKUPS as all others do"""

    def find_spec(self, name, path=None, target=None):
        spec = None
        with Guard():
            spec = self.theirs(name, path, target) if name in LOOKUPS else None
            if hasattr(spec, "loader"):
                patch_behind(spec.loader)
        return spec

    def theirs(self, *words):
        found = (finder.find_spec(*words) for finder in sys.meta_path if finder is not self)
        return next((spec for spec in found if spec is not None), None)


def start():
    if mode() == "off" or any(isinstance(finder, Finder) for finder in sys.meta_path):
        return
    if mode() not in MODES:
        warn(f"KPRED={os.environ['KPRED']}: is none of {', '.join(MODES)}")
        return
    # A child must not inherit the lock, nor a library in the midst of a call.
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    sys.meta_path.insert(0, Finder())
    for name in LOOKUPS:
        if name in sys.modules:
            patch(sys.modules[name])


def register():
    """What vLLM calls, maybe several times"""
    with Guard():
        start()
