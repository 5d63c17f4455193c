"""vllm_stage.py - a process of vLLM without torch, Triton and a GPU: what its functions find, as JSON

SPDX-License-Identifier: MIT

usage: vllm_stage.py DEVICE STEPS    STEPS are lines of Python, which append to `said`

The folder `vllm` of PYTHONPATH has the files of a real package, or a few of the same form. All other modules are stubs.
"""
import importlib.abc
import importlib.machinery
import json
import logging
import re
import sys
import types
from unittest.mock import MagicMock

DEVICE, STEPS = sys.argv[1:]
FUSED_MOE = "vllm.model_executor.layers.fused_moe.fused_moe"
FP8 = "vllm.model_executor.layers.quantization.utils.fp8_utils"


class Stub(types.ModuleType):
    """A module that has every name"""
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, MagicMock())
        return getattr(self, name)


class Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Behind all other finders"""

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ("torch", "triton", "vllm"):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        if module.__name__ == "vllm.platforms":
            module.current_platform = MagicMock()
            module.current_platform.get_device_name = lambda *_: DEVICE
        if module.__name__ == "vllm.logger":
            module.init_logger = Logger


class Logger(logging.LoggerAdapter):
    """As that of vLLM"""

    def __init__(self, name):
        super().__init__(logging.getLogger(name), {})

    def info_once(self, message, *words, scope="local"):
        self.info(message, *words)

    def warning_once(self, message, *words, scope="local"):
        self.warning(message, *words)


sys.modules["regex"] = re
sys.meta_path.append(Stubs())
heard = []


class Heard(logging.Handler):
    def emit(self, record):
        heard.append(record.getMessage())


def load(name):
    __import__(name)
    return sys.modules[name]


def moe(*words):
    return load(FUSED_MOE).get_moe_configs(*words)


def block(*words):
    return load(FP8).get_w8a8_block_fp8_configs(*words)


def plugins():
    load("vllm.plugins").load_general_plugins()


said = []
logging.getLogger("vllm").addHandler(Heard())
logging.getLogger("vllm").setLevel(logging.INFO)
exec(STEPS)
print(json.dumps([said, heard]))
