"""Makes the wheel of the Python package.

    python wheel.py NATIVE COMMAND VERSION PLATFORM FOLDER

A wheel is a zip archive with the files of the package, and with a folder that describes them (PEP
427 and PEP 491). The native part (NATIVE) and the command ``pompeii`` (COMMAND) come from cargo,
which has built them with the same settings as everything else. A build tool for wheels would call
cargo again with settings of its own, and so compile most crates a second time.

PLATFORM is the last part of the wheel's tag, for example ``linux_x86_64``. The path of the wheel is
printed.
"""

import base64
import hashlib
import os
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, "python", "pompeii")
LICENSES = ("LICENSE-APACHE", "LICENSE-MIT")

METADATA = """\
Metadata-Version: 2.1
Name: pompeii
Version: {version}
Summary: What OpenMP and MPI programs spend their time on, who waits for whom, and why.
License: MIT OR Apache-2.0
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Requires-Python: >=3.9
Provides-Extra: tables
Requires-Dist: numpy; extra == "tables"
Requires-Dist: pyarrow; extra == "tables"
"""

WHEEL = """\
Wheel-Version: 1.0
Generator: pompeii
Root-Is-Purelib: false
Tag: {tag}
"""

ENTRY_POINTS = """\
[console_scripts]
pompeii = pompeii._command:main
"""


def contents(native, command, version, tag):
    """The path, the bytes and the mode of each file of the wheel but the list of all files."""
    for name in sorted(os.listdir(PACKAGE)):
        if name.endswith((".py", ".pyi", ".typed")):
            yield f"pompeii/{name}", read(os.path.join(PACKAGE, name)), 0o644
    yield "pompeii/_native.abi3.so", read(native), 0o755
    yield "pompeii/bin/pompeii", read(command), 0o755
    info = f"pompeii-{version}.dist-info"
    yield f"{info}/METADATA", METADATA.format(version=version).encode(), 0o644
    yield f"{info}/WHEEL", WHEEL.format(tag=tag).encode(), 0o644
    yield f"{info}/entry_points.txt", ENTRY_POINTS.encode(), 0o644
    for name in LICENSES:
        yield f"{info}/{name}", read(os.path.join(HERE, "..", "..", name)), 0o644


def read(path):
    """The bytes of a file."""
    with open(path, "rb") as file:
        return file.read()


def put(archive, path, data, mode):
    """Adds a file. All have the same time, so that the same files make the same wheel."""
    entry = zipfile.ZipInfo(path)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100000 | mode) << 16
    archive.writestr(entry, data, compresslevel=1)


def main(native, command, version, platform, folder):
    """Writes the wheel."""
    tag = f"cp39-abi3-{platform}"
    path = os.path.join(folder, f"pompeii-{version}-{tag}.whl")
    os.makedirs(folder, exist_ok=True)
    listed = f"pompeii-{version}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(path, "w") as archive:
        for name, data, mode in contents(native, command, version, tag):
            put(archive, name, data, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
        put(archive, listed, "".join([*lines, f"{listed},,\n"]).encode(), 0o644)
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
