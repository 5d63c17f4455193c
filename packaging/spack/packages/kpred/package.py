"""package.py - kpred for Spack: the tree that this recipe lies in

SPDX-License-Identifier: MIT
"""
import pathlib

from spack.package import depends_on, license, version
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Kpred(CMakePackage):
    """Predicts the best tuning parameters of GPU kernels; headers only."""

    git = pathlib.Path(__file__).resolve().parents[4].as_uri()
    license("MIT")
    version("0.4.0", tag="v0.4.0")
    depends_on("cmake@3.14:", type="build")
