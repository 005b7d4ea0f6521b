"""Checks the recipe for Spack without Spack: ``python check.py RECIPE PREFIX``.

The recipe is imported with stand-ins for the few names that it takes from Spack, and its steps
after the installation are executed, as Spack does, on PREFIX, which has the command in ``bin``. So
a wrong name, a wrong command or a missing file is found. What a directive means is up to Spack.
"""

import importlib.util
import os
import subprocess
import sys
import types

#: Steps that follow a phase, in the order of the recipe.
steps = []


class Path(str):
    """A folder whose attributes are the folders in it, as Spack's prefixes are."""

    def __getattr__(self, name):
        return Path(os.path.join(self, name))


class Executable:
    """A command, which is run."""

    def __init__(self, path):
        self.path = path

    def __call__(self, *words):
        subprocess.run([self.path, *words], check=True)


def run_after(phase):
    assert phase == "install", f"no phase `{phase}` of CargoPackage"

    def keep(step):
        steps.append(step)
        return step

    return keep


def on_package_attributes(**attributes):
    assert attributes == {"run_tests": True}
    return lambda step: step


def version(name, **source):
    assert name == "main" or "sha256" in source, f"version {name} has no checksum"


def depends_on(spec, *, type):
    kinds = (type,) if isinstance(type, str) else type
    assert set(kinds) <= {"build", "link", "run", "test"}, f"{spec}: no dependency of type {type}"


def license(spdx):
    assert set(spdx.split(" OR ")) == {"Apache-2.0", "MIT"}


def stand_ins(package_type):
    """The modules of Spack that the recipe imports."""
    api = types.ModuleType("spack.package")
    own = (Executable, run_after, on_package_attributes, version, depends_on, license)
    vars(api).update({it.__name__: it for it in own})
    api.join_path = os.path.join
    api.bash_completion_path = lambda root: os.path.join(root, "share/bash-completion/completions")
    api.zsh_completion_path = lambda root: os.path.join(root, "share/zsh/site-functions")
    api.fish_completion_path = lambda root: os.path.join(root, "share/fish/vendor_completions.d")
    cargo = types.ModuleType("spack_repo.builtin.build_systems.cargo")
    cargo.CargoPackage = package_type
    modules = {api.__name__: api, cargo.__name__: cargo}
    for name in list(modules):
        while "." in name:
            name = name.rpartition(".")[0]
            modules.setdefault(name, types.ModuleType(name))
    return modules


def main(recipe, prefix):
    """Imports the recipe, and does its steps."""
    package_type = type("CargoPackage", (), {})
    sys.modules.update(stand_ins(package_type))
    spec = importlib.util.spec_from_file_location("recipe", recipe)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    package = module.Pompeii()
    package.prefix = Path(os.path.abspath(prefix))
    package.stage = types.SimpleNamespace(source_path=os.getcwd())
    assert os.path.isfile(os.path.join(package.build_directory, "Cargo.toml"))
    for step in steps:
        step(package)
    for made in ("lib/pompeii/libpomp.a", "share/man/man1/pompeii-run.1"):
        assert os.path.isfile(os.path.join(prefix, made)), f"{made} was not installed"


if __name__ == "__main__":
    main(*sys.argv[1:])
