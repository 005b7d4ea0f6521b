# SPDX-License-Identifier: (Apache-2.0 OR MIT)
#
# A checkout is built by
#
#   spack repo add packaging/spack/spack_repo/pompeii
#   spack dev-build -d . pompeii@main

from spack_repo.builtin.build_systems.cargo import CargoPackage

from spack.package import *


class Pompeii(CargoPackage):
    """Performance observation, measurement and pattern exploration for OpenMP and MPI programs:
    measures one run, and shows the lost time with its source line and cause."""

    license("Apache-2.0 OR MIT")

    # Sources come from a checkout (`spack dev-build`), so no version has a checksum.
    version("main")

    depends_on("c", type=("build", "run"))
    depends_on("rust@1.88:", type="build")
    depends_on("binutils", type=("build", "run"))

    @property
    def build_directory(self):
        return join_path(self.stage.source_path, "crates", "cli")

    @run_after("install")
    def install_for_users(self):
        pompeii = Executable(self.prefix.bin.pompeii)
        pompeii("config", "--install", self.prefix)
        for reader, folder in (
            ("bash", bash_completion_path(self.prefix)),
            ("zsh", zsh_completion_path(self.prefix)),
            ("fish", fish_completion_path(self.prefix)),
            ("man", self.prefix.share.man.man1),
        ):
            pompeii("completions", reader, "--dir", folder)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.pompeii)("--version")
