"""generated.py - the numbers of a header that kpred-train wrote, read from its text

SPDX-License-Identifier: MIT
"""
import re


class Header:
    """Its arrays, and its structs as lists of words"""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        named = re.search(r"kpred_model kpred_model_(\w+) = ", text)
        if not named or "&kpred_additive_scorer" not in text:
            raise ValueError("this is not a header of an additive network that kpred-train wrote")
        self.name = named.group(1)
        self.arrays = {}
        for name, size, body in re.findall(
                r"^static const int(?:8|32)_t kpri_(\w+)\[(\d+)\] = \{([^}]*)\};", text, re.M):
            numbers = [int(x) for x in body.split(",") if x.strip()]
            assert len(numbers) == int(size), name
            self.arrays[name] = numbers
        self.fields, self.params, self.program, self.heads = (
            self.rows(self.body(text, what)) for what in ("fields", "params", "program", "heads"))
        net = self.body(text, "net")
        self.hidden = int(re.findall(r"\w+", net)[3])
        self.layers = self.rows(net)
        model = self.body(text, "", "KPRED_DATA const kpred_model kpred_model_%s = {" % self.name)
        self.id = re.search(r"UINT64_C\(0x(\w+)\)", model).group(1)
        self.scale = int(re.search(r"_params, \d+, \d+, \d+, \d+, (\d+)", model).group(1))
        self.stated = int(re.search(r"largest accumulator (\d+) of", text).group(1))

    def body(self, text, what, begin=None):
        begin = begin or re.search(r"kpri_%s_%s(\[\])? = \{" % (self.name, what), text).group(0)
        at = text.index(begin) + len(begin)
        return text[at:text.index("\n};", at)]

    def rows(self, text):
        return [re.sub(r"kpri_(?=%s)" % self.name, "", row).replace(" ", "").split(",")
                for row in re.findall(r"\{ ([^{}]*) \}", text)]

    def values(self, t):
        """Those of parameter t"""
        return self.arrays[self.params[t][1]]
