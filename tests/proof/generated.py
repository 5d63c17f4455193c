"""generated.py - the numbers of a header that kpred-train wrote, read from its text

SPDX-License-Identifier: MIT
"""
import re


class WrongHeader(ValueError):
    """Its text begins with FILE:LINE."""


class Header:
    """Its arrays, and its structs as lists of words"""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.path, self.text = path, f.read()
        if "kpred-train" not in self.text[:200]:
            raise self.wrong(0, "this is not a header that kpred-train wrote")
        if not 0 < len(re.findall("(?m)^#if", self.text)) == len(re.findall("(?m)^#endif\n", self.text)):
            raise self.wrong(len(self.text), "the file ends here, before its last #endif")
        if "&kpred_additive_scorer" not in self.text:
            raise self.wrong(0, "this is not the header of an additive network")
        self.name = self.found(r"kpred_model kpred_model_(\w+) = ")
        self.arrays = dict(map(self.array, re.finditer(
            r"^static const int(?:8|32)_t kpri_(\w+)\[(\d+)\](?: KPRI_ALIGNED)? = \{([^}]*)\};", self.text, re.M)))
        self.fields, self.params, self.program, self.heads = (
            self.rows(self.body(what)) for what in ("fields", "params", "program", "heads"))
        net = self.body("net")
        self.hidden = int(re.findall(r"\w+", net)[3])
        self.layers = self.rows(net)
        for whole in ("weights", "biases"):
            self.cut("%s_%s" % (self.name, whole))
        self.id = self.found(r"kpred_model kpred_model_\w+ = \{\n *\d+, UINT64_C\(0x(\w+)\)")
        self.scale = int(self.found(r"_params, \d+, \d+, \d+, \d+, (\d+)"))
        self.stated = int(self.found(r"largest accumulator (\d+) of"))

    def wrong(self, at, what):
        return WrongHeader("%s:%d: %s" % (self.path, self.text.count("\n", 0, at) + 1, what))

    def found(self, pattern):
        """The group of its only place"""
        place = re.search(pattern, self.text)
        if not place:
            raise self.wrong(len(self.text), "up to here there is no " + pattern)
        return place.group(1)

    def array(self, place):
        """Its name and its numbers"""
        numbers = [int(x) for x in place.group(3).split(",") if x.strip()]
        if len(numbers) != int(place.group(2)):
            raise self.wrong(place.start(), "%s has %d numbers" % (place.group(1), len(numbers)))
        return place.group(1), numbers

    def cut(self, whole):
        """Each piece of an array that layers and heads name, up to the next one, is an array as well: weights+16"""
        numbers = self.arrays[whole]
        places = sorted({int(word[len(whole) + 1:]) for row in self.layers + self.heads for word in row
                         if word.startswith(whole + "+")})
        for at, end in zip(places, places[1:] + [len(numbers)]):
            self.arrays["%s+%d" % (whole, at)] = numbers[at:end]

    def body(self, what):
        return self.found(r"kpri_%s_%s(?:\[\])? = \{((?:.|\n)*?)\n\};" % (self.name, what))

    def rows(self, text):
        return [re.sub(r"kpri_(?=%s)" % self.name, "", row).replace(" ", "").split(",")
                for row in re.findall(r"\{ ([^{}]*) \}", text)]

    def values(self, t):
        """Those of parameter t"""
        return self.arrays[self.params[t][1]]
