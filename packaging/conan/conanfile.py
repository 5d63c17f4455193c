"""conanfile.py - kpred for Conan 2: headers alone

SPDX-License-Identifier: MIT
"""
import os
import re

from conan import ConanFile
from conan.tools.files import copy, load


class Kpred(ConanFile):
    name = "kpred"
    description = "Predicts the best tuning parameters of GPU kernels"
    license = "MIT"
    topics = ("gpu", "tuning", "header-only")
    package_type = "header-library"
    no_copy_source = True

    def _tree(self):
        return os.path.dirname(os.path.dirname(self.recipe_folder))

    def set_version(self):
        number = int(re.search(r"#define KPRED_VERSION +(\d+)", load(self, os.path.join(self._tree(), "kpred.h")))[1])
        self.version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"

    def export_sources(self):
        for pattern in "kpred*.h", "weights/*.h", "LICENSE":
            copy(self, pattern, self._tree(), self.export_sources_folder, excludes=("build/*", "tests/*", "tools/*"))

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "*.h", self.source_folder, os.path.join(self.package_folder, "include", "kpred"))
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.includedirs = ["include", "include/kpred"]
        self.cpp_info.bindirs = self.cpp_info.libdirs = []
