"""Build of the kernel library: forms, keys, the cache of objects; an outdated library is never used."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import os
import re
import shutil
import struct
import subprocess
import sys
import textwrap
import types
from functools import cache as cache_results
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from build_kernels import cache, compile, hatch_build
from build_kernels.forms import Form, all_kernels, forms_of, kinds_of, missing
from stablegraph._core.runtime import Constant, Kernel, Rows, Rule, edge_split, kernel, library, sources
from stablegraph._core.runtime.array_types import ArrayT, Bools, Int64Table, Vertices
from stablegraph._core.runtime.declaration import groups_of
from stablegraph._core.runtime.jit.targets import TARGETS, host_name
from tests.support.processes import ROOT, run_interpreter

PACKAGE = ROOT / "src" / "stablegraph"


@pytest.fixture(autouse=True)
def registered():
    """Remove the kernels that a test defines from the registry."""
    before = set(Kernel.registry)
    yield
    Kernel.registry[:] = [body for body in Kernel.registry if body in before or body.name.startswith("stablegraph.")]


class Tile(NamedTuple):
    data: ArrayT
    height: Constant
    width: Constant


# ---- Forms


def test_an_index_type_or_a_variable_makes_a_form_for_each_of_its_values():
    @kernel(by="edges", types="O[] V[] T[] T[,] float", T="int32 float64")
    def body(v, indptr, indices, values, table, factor):
        pass

    words = [form.types for form in forms_of(body)]
    assert words == [
        (f"{offset}[]", f"{vertex}[]", f"{value}[]", f"{value}[,]", "float")
        for value in ("int32", "float64")
        for vertex, offset in (("int32", "int32"), ("int32", "int64"), ("int64", "int64"))
    ]
    assert {form.constants for form in forms_of(body)} == {()}
    assert kinds_of(body, words[0], ()) == "i1112f"  # the number of items comes first


def test_types_without_variables_make_one_form():
    @kernel(by="workers", types="int bool[] uint8[]")
    def body(worker, workers, count, mask, state):
        pass

    assert [form.types for form in forms_of(body)] == [("int", "bool[]", "uint8[]")]
    assert kinds_of(body, ("int", "bool[]", "uint8[]"), ()) == "i11"


def test_constants_make_forms_for_the_first_types_only():
    @kernel(types="V[] T[] int int float", T="float64 float32", constants="1,1 3,3")
    def body(i, ids, tile: Tile, factor):
        pass

    forms = forms_of(body)
    assert len(forms) == 2 * 2 + 2  # V and T without constants (O is not used), and two with them
    fixed = [form for form in forms if form.constants]
    assert [(form.types, form.constants) for form in fixed] == [
        (("int32[]", "float64[]", "float"), (1, 1)),
        (("int32[]", "float64[]", "float"), (3, 3)),
    ]
    assert kinds_of(body, fixed[0].types, fixed[0].constants) == "i1(1xx)f"
    assert kinds_of(body, forms[0].types, ()) == "i1(1ii)f"


def test_annotations_declare_the_same_forms_as_words():
    @kernel(by="edges", T="float64 float32", constants="1,1 3,3")
    def annotated(v, rows: Rows, tile: Tile, mask: Bools, table: Int64Table, count: int, factor: float, strict: bool):
        pass

    @kernel(
        by="edges", types="O[] V[] T[] int int bool[] int64[,] int float bool", T="float64 float32", constants="1,1 3,3"
    )
    def listed(v, rows: Rows, tile: Tile, mask, table, count, factor, strict):
        pass

    assert [form[1:] for form in forms_of(annotated)] == [form[1:] for form in forms_of(listed)]


def test_a_keyword_fixes_the_type_of_vertices():
    @kernel(by="edges", V="int32", O="int32")
    def body(v, rows: Rows):
        pass

    assert [form.types for form in forms_of(body)] == [("int32[]", "int32[]")]


def test_a_parameter_without_a_type_leaves_the_kernel_undeclared():
    @kernel
    def body(i, ids: Vertices, values):
        pass

    assert body.declared is None
    assert forms_of(body) == []


def test_a_wrong_variable_is_refused():
    @kernel(T="int32", O="int64")
    def body(i, values: ArrayT):
        pass

    with pytest.raises(ValueError, match="'O'} must be both in types and among the type variables"):
        forms_of(body)


@pytest.mark.parametrize(
    ("types", "variables", "message"),
    [
        ("V[]", {}, "declares 1 types for 2 arguments"),
        ("V[] int32[] int", {}, "declares 3 types for 2 arguments"),
        ("V[] int33[]", {}, r"declares the unknown type 'int33\[\]'"),
        ("V[] str", {}, "declares the unknown type 'str'"),
        ("V[] int32[,,]", {}, r"declares the unknown type 'int32\[,,\]'"),
        ("V[] T[]", {}, "'T'} must be both in types and among the type variables"),
        ("V[] int32[]", {"T": "int32"}, "'T'} must be both in types and among the type variables"),
        ("V[] T[]", {"T": "int32 flaot64"}, r"declares the unknown type 'flaot64\[\]'"),
    ],
)
def test_a_wrong_declaration_is_refused(types, variables, message):
    @kernel(types=types, **variables)
    def body(i, ids, values):
        pass

    with pytest.raises(ValueError, match=message):
        forms_of(body)


def test_every_kernel_declares_types_and_the_page_has_their_numbers():
    kernels = all_kernels()
    assert missing(kernels) == []
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    said = re.search(r"compiles ([\d,]+) variants of ([\d,]+) kernels", page).groups()
    forms = sum(len(forms_of(body)) for body in kernels.values())
    assert [int(number.replace(",", "")) for number in said] == [round(forms, -2), round(len(kernels), -2)]


# ---- Keys


def module_of(path, text):
    """Return a module with a rule and a kernel."""
    path.write_text(textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TEXT = """
    import numpy as np
    from stablegraph._core.runtime import kernel, rule

    FACTOR = 3
    TABLE = np.arange(4)

    @rule
    def times(x):
        return FACTOR * x + TABLE[2]

    @rule
    def once_more(x):
        return times(x) + 1

    @kernel(types="int64[]")
    def write(i, values):
        values[i] = once_more(i)
"""
FORM = Form("write", ("int64[]",), ())


def key_of(path, text, form=FORM, target="linux-x86_64"):
    return compile._key(module_of(path, text).write, form, target, 0)


def test_a_key_contains_everything_that_an_object_is_made_from(tmp_path):
    path = tmp_path / "example.py"
    known = {"": key_of(path, TEXT)}
    assert key_of(path, TEXT) == known[""]
    assert key_of(path, TEXT + "\n    UNUSED = 5\n") == known[""]
    described = TEXT.replace("(i, values):", '(i, values: object) -> None:  # all\n        """Write."""')
    assert described != TEXT
    assert key_of(path, described) == known[""]  # compiled code is the same
    changed = {
        "a constant": TEXT.replace("FACTOR = 3", "FACTOR = 4"),
        "its type": TEXT.replace("FACTOR = 3", "FACTOR = 3.0"),
        "an array": TEXT.replace("arange(4)", "arange(4)[::-1]"),
        "a rule of a rule": TEXT.replace("FACTOR * x", "FACTOR - x"),
        "the kernel": TEXT.replace("(i)", "(i + 1)"),
        "whether a rule is inlined": TEXT.replace("@rule\n    def times", "@rule(inline=False)\n    def times"),
        "the split": TEXT.replace("@kernel(", "@kernel(by='workers', ").replace("(i, values)", "(i, workers, values)"),
    }
    known |= {name: key_of(path, text) for name, text in changed.items()}
    known["the types"] = key_of(path, TEXT, FORM._replace(types=("int32[]",)))
    known["the target"] = key_of(path, TEXT, target="linux-aarch64")
    assert len(set(known.values())) == len(known), known


def test_a_key_contains_the_rule_that_splits_edges(monkeypatch):
    @kernel(by="edges", types="O[] V[]")
    def body(v, indptr, indices):
        pass

    form = forms_of(body)[0]
    before = compile._key(body, form, "linux-x86_64", 0)
    monkeypatch.setattr(edge_split, "function", lambda indptr, n, worker, workers: n)
    assert compile._key(body, form, "linux-x86_64", 0) != before


def test_a_key_contains_the_members_of_a_group(tmp_path):
    text = """
        from typing import Any, NamedTuple
        from stablegraph._core.runtime import kernel

        class Pair(NamedTuple):
            first: Any
            second: Any

        @kernel(types="int64[] int64[]")
        def write(i, pair: Pair):
            pair.first[i] = pair.second[i]
    """
    form = Form("write", ("int64[]", "int64[]"), ())
    swapped = text.replace("first: Any", "second: Any", 1).replace("second: Any", "first: Any", 2)
    assert key_of(tmp_path / "a.py", text, form) != key_of(tmp_path / "a.py", swapped, form)


def test_keys_do_not_depend_on_bytecode(tmp_path):
    """Other versions of Python have other bytecode for the same text, and share objects."""
    module = module_of(tmp_path / "example.py", TEXT)
    before = compile._key(module.write, FORM, "linux-x86_64", 0)
    compile.texts_of.cache_clear()
    for function in (module.write.function, module.times.function, module.once_more.function):
        code = function.__code__
        names = code.co_names[::-1]  # their order is that of the bytecode
        function.__code__ = code.replace(co_code=code.co_code + code.co_code[-2:], co_names=names)
    assert compile._key(module.write, FORM, "linux-x86_64", 0) == before


def test_a_global_that_a_key_cannot_describe_is_refused(tmp_path):
    text = TEXT.replace("FACTOR = 3", "import types\n    FACTOR = types.SimpleNamespace(x=1)")
    with pytest.raises(TypeError, match="a global of type SimpleNamespace"):
        key_of(tmp_path / "example.py", text)
    text = TEXT.replace("FACTOR = 3", "import stablegraph\n    FACTOR = stablegraph")
    with pytest.raises(TypeError, match="a global of type module"):
        key_of(tmp_path / "example.py", text)


# ---- The cache


def test_a_damaged_file_is_not_read(tmp_path):
    path = cache.write(tmp_path, "key", ".o", b"contents")
    assert cache.read(tmp_path, ".o") == {"key": path}
    path.write_bytes(b"cOntents")
    assert cache.read(tmp_path, ".o") == {}
    assert cache.write(tmp_path, "key", ".o", b"contents") == path
    assert cache.read(tmp_path, ".o") == {"key": path}
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_old_files_are_removed_unless_they_are_in_use(tmp_path):
    used, old, new = (cache.write(tmp_path, key, ".o", b"") for key in ("used", "old", "new"))
    for path in (used, old):
        os.utime(path, (0, 0))
    cache.remove_old(tmp_path, ".o", {used})
    assert {path.name for path in tmp_path.iterdir()} == {used.name, new.name}


@pytest.mark.jit
def test_a_damaged_object_is_compiled_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(cache, "FOLDER", tmp_path)
    kernels = all_kernels()
    forms = forms_of(kernels["stablegraph._core.engines.union._copy_from_root"])
    ((path,),) = (of.values() for of in compile.compile_forms(kernels, forms, "linux-x86_64", [0], 1).values())
    assert capsys.readouterr().out == "compiling 1 of 1 forms of kernels with 1 processes\n"
    assert list(compile.compile_forms(kernels, forms, "linux-x86_64", [0], 1).values()) == [{0: path}]
    assert capsys.readouterr().out == ""

    contents = path.read_bytes()
    path.write_bytes(contents[:100] + bytes([contents[100] ^ 1]) + contents[101:])
    assert list(compile.compile_forms(kernels, forms, "linux-x86_64", [0], 1).values()) == [{0: path}]
    assert capsys.readouterr().out.startswith("compiling 1 of 1 forms")
    assert path.read_bytes() == contents  # compiling is deterministic


@pytest.mark.jit
@pytest.mark.parametrize("target", TARGETS)
def test_objects_are_compiled_for_every_system(tmp_path, monkeypatch, target):
    monkeypatch.setattr(cache, "FOLDER", tmp_path)
    kernels = all_kernels()
    name = "stablegraph.coloring.first_fit._fit_or_wait_in_pieces"  # it yields, which each system does differently
    (objects,) = compile.compile_forms(kernels, forms_of(kernels[name])[:1], target, [0], 1).values()
    path = objects[0]
    contents = path.read_bytes()
    begin = {"linux-x86_64": b"\x7fELF", "linux-aarch64": b"\x7fELF", "macos-arm64": b"\xcf\xfa\xed\xfe"}
    assert contents.startswith(begin.get(target, b"\x64\x86"))
    assert (b"SwitchToThread" in contents, b"sched_yield" in contents) == (target[0] == "w", target[0] != "w")


@pytest.mark.jit
def test_a_kernel_that_cannot_be_compiled_is_named(tmp_path, monkeypatch):
    module = module_of(tmp_path / "example.py", TEXT.replace("once_more(i)", "values.no_such_name"))
    monkeypatch.setattr(compile, "kernels_of_package", lambda: {"write": module.write})
    with pytest.raises(TypeError, match=r"(?s)write cannot be compiled for 'int64\[\]': .*no_such_name"):
        compile._compile_task([FORM], "linux-x86_64", tmp_path, {FORM: {0: "key"}})


# ---- An outdated library is never used


@cache_results
def imports_of(module):
    """Return the names that a module imports from the package, each with its name and module of origin."""
    package = module.__name__ if hasattr(module, "__path__") else module.__package__
    result = {}
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and node.level:
            source = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            result |= {alias.asname or alias.name: (alias.name, sys.modules.get(source)) for alias in node.names}
    return result


def origin_of(name, module):
    """Return the module that defines a name used by another module."""
    imports = imports_of(module)
    return origin_of(*imports[name]) if name in imports else module


def used_by(function, seen):
    """Return the modules of this package that contain the rules, constants and groups of a kernel or rule."""
    if function in seen:
        return
    seen.add(function)
    module = sys.modules[function.__module__]
    yield module
    for name in (*function.__code__.co_names, *(group.__name__ for group in groups_of(function).values())):
        value = function.__globals__.get(name)
        if isinstance(value, Rule):
            yield from used_by(value.function, seen)
        elif value is not None and not isinstance(value, types.ModuleType):
            yield origin_of(name, module)


def test_the_hash_covers_every_file_that_kernels_use():
    seen = set()
    modules = {module for body in all_kernels().values() for module in used_by(body.function, seen)}
    files = {Path(module.__file__) for module in modules}
    files = {path.relative_to(sources.PACKAGE) for path in files if path.is_relative_to(sources.PACKAGE)}
    assert len(files) > 90
    missed = files - {place for place, _ in sources.package_files()}
    assert not missed, f"mention kernels in a comment of {missed}: the hash covers files with that word"
    layer = {path.relative_to(sources.PACKAGE) for path in (sources.PACKAGE / "_core" / "runtime" / "jit").glob("*.py")}
    assert layer <= {place for place, _ in sources.package_files()}


@pytest.mark.parametrize("in_library", ["", "0" * 32])
def test_a_library_of_other_sources_is_built_again(monkeypatch, in_library):
    built = []
    monkeypatch.setattr(library, "is_source_tree", lambda: True)
    monkeypatch.setattr(library, "hash_in", lambda path: in_library)
    monkeypatch.setattr(library, "build", lambda fits: built.append(fits()))
    library.current.__wrapped__()
    assert built == [False]


def test_a_library_that_cannot_be_built_is_an_error_with_the_reason(monkeypatch, tmp_path, capfd):
    (tmp_path / "build_kernels").mkdir()
    (tmp_path / "build_kernels" / "__init__.py").touch()  # otherwise PYTHONPATH=. would find this repository's package
    main = tmp_path / "build_kernels" / "__main__.py"
    monkeypatch.setattr(library, "ROOT", tmp_path)
    main.write_text("import sys; print('progress'); sys.exit('Compiling needs numba')")
    with pytest.raises(RuntimeError, match=r"were not built: Compiling needs numba\nSTABLEGRAPH_JIT=1 "):
        library.build(lambda: True)
    captured = capfd.readouterr()
    assert captured.out == "" and captured.err.endswith("building them (python -m build_kernels)\nprogress\n")
    main.write_text("")
    with pytest.raises(RuntimeError, match="were not built: the sources have changed"):
        library.build(lambda: False)


def test_an_installed_library_is_not_compared_with_sources(monkeypatch):
    monkeypatch.setattr(library, "is_source_tree", lambda: False)
    monkeypatch.setattr(library, "source_hash", lambda: pytest.fail("compared"))
    assert library.current.__wrapped__() is library.loaded()


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """Replace the library by a copy of it in an installed package, whose wheel states the hash of its library."""
    copy = tmp_path / library.PATH.name
    shutil.copyfile(library.PATH, copy)
    monkeypatch.setattr(library, "is_source_tree", lambda: False)
    monkeypatch.setattr(library, "PATH", copy)
    monkeypatch.setattr(library, "STAMP", tmp_path / library.STAMP.name)
    library.STAMP.write_text(sources.hash_in(copy) + "\n")
    assert len(sources.hash_in(copy)) == 32
    return copy


def _load():
    return library.loaded.__wrapped__()


def test_a_library_that_is_cut_at_any_length_is_refused_before_it_is_loaded(installed, monkeypatch):
    """The system would end the process at a page that is missing."""
    monkeypatch.setattr(library, "started", lambda path: pytest.fail("loaded"))
    size = installed.stat().st_size
    random = np.random.default_rng(0)
    lengths = {*range(0, size, 4096), *range(4096), *random.integers(0, size, 1000).tolist(), size - 1}
    for length in sorted(lengths, reverse=True):
        os.truncate(installed, length)
        with pytest.raises(ValueError, match=r"at least|headers are damaged|known format"):
            sources.checked_hash(installed)
        assert sources.hash_in(installed) == ""  # in a source tree it is built again
        with pytest.raises(ImportError, match="pip install --force-reinstall stablegraph"):
            _load()


FORMATS = {"ELF": b"\x7fELF\x02\x01", "Mach-O": b"\xcf\xfa\xed\xfe", "Windows": b"MZ", "none": b""}


@pytest.mark.parametrize("start", FORMATS.values(), ids=FORMATS)
def test_a_file_that_is_no_library_is_refused(installed, monkeypatch, start):
    monkeypatch.setattr(library, "started", lambda path: pytest.fail("loaded"))
    random = np.random.default_rng(0)
    for k in range(300):
        installed.write_bytes(start + (random.bytes(200 + 5 * k) if k else bytes(5000)))
        with pytest.raises(ImportError, match=r"kernels cannot be loaded \(.*\); run: pip install --force-reinstall"):
            _load()


def test_another_library_is_refused(installed):
    """That of another version, a foreign one, one for another processor, and a folder."""
    whole = installed.read_bytes()
    library.STAMP.write_text("0" * 32)
    with pytest.raises(ImportError, match=r"cannot be loaded \(it is that of another version\)"):
        _load()
    library.STAMP.write_text(sources.hash_in(installed))
    installed.write_bytes(whole.replace(b"stablegraph-sources:", b"stablegraph-origins:"))
    with pytest.raises(ImportError, match="does not contain the kernels of stablegraph"):
        _load()
    if sys.platform.startswith("linux"):
        machine = 183 if whole[18] == 62 else 62  # AArch64 or x86-64
        installed.write_bytes(whole[:18] + bytes([machine, 0]) + whole[20:])
        with pytest.raises(ImportError, match="pip install --force-reinstall stablegraph"):
            _load()
    installed.unlink()
    installed.mkdir()
    with pytest.raises(ImportError, match="pip install --force-reinstall stablegraph"):
        _load()


def test_tools_of_packagers_may_change_the_library(installed):
    """Strip and similar tools change symbols, sections and headers."""
    whole, stated = installed.read_bytes(), library.STAMP.read_text().strip()
    tools = [
        ["strip"],
        ["strip", "--strip-all", "--remove-section=.comment"],
        ["objcopy", "--add-gnu-debuglink=/dev/null"],
    ]
    for tool in [[shutil.which(name), *options] for name, *options in tools if shutil.which(name)]:
        installed.write_bytes(whole)
        subprocess.run([*tool, installed], check=True)
        assert sources.checked_hash(installed) == stated
    if sys.platform.startswith("linux"):  # without the table of sections
        end = max(
            start + length
            for start, length, _ in sources._loaded_parts(lambda start, size: whole[start : start + size])[0]
        )
        installed.write_bytes(whole[:40] + bytes(8) + whole[48:58] + bytes(6) + whole[64:end])
        assert sources.checked_hash(installed) == stated
    installed.write_bytes(whole + b"signed")
    assert sources.checked_hash(installed) == stated
    assert _load().sg_method


@pytest.mark.parametrize("name", ["Mach-O", "Windows"])
def test_libraries_of_other_systems_are_checked_by_their_headers(tmp_path, name):
    """The smallest headers with one part, which contains the hash at its end."""
    body = bytes(64) + b"stablegraph-sources:" + b"7" * 32
    if name == "Mach-O":
        head = struct.pack("<4s12xII8x", FORMATS[name], 2, 8 + 72) + struct.pack("<II", 2, 8)
        head += struct.pack("<II32xQQ16x", 0x19, 72, 200, len(body)).ljust(72, b"\0")
    else:
        head = struct.pack("<2s58xI", FORMATS[name], 64) + struct.pack("<4s2xH12xH2x", b"PE", 1, 0)
        head += struct.pack("<16xII16x", len(body), 200)
    path = tmp_path / "library"
    whole = head.ljust(200, b"\0") + body
    path.write_bytes(whole)
    assert sources.checked_hash(path) == "7" * 32
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="at least"):
            sources.checked_hash(path)


def test_a_wheel_states_the_hash_of_its_library(monkeypatch, tmp_path):
    build_data = {"force_include": {}}
    added = []
    hook = types.SimpleNamespace(root=str(tmp_path), _wanted=lambda: (host_name(), False), _wants_gpu=lambda: False)
    hook._add = lambda *arguments: added.append(arguments[0])
    hatch_build.KernelLibrary.initialize(hook, "standard", build_data)
    ((path, place),) = build_data["force_include"].items()
    assert added == [library.PATH.name]
    assert place == f"stablegraph/_core/runtime/{library.STAMP.name}"
    library.current()  # built again if a source was changed; the tests may use an installed package
    assert Path(path).read_text() == sources.checked_hash(library.PATH)


def test_a_damaged_library_is_one_line_of_the_command_line(installed):
    os.truncate(installed, 100_000)
    program = (
        "import sys\nfrom pathlib import Path\nfrom stablegraph._core.runtime import library\n"
        f"library.PATH = Path({str(installed)!r})\nlibrary.is_source_tree = lambda: False\n"
        "from stablegraph.cli import main\nmain(['generate', 'grid', '3x3', '-o', '-'])"
    )
    pytest.importorskip("click")
    done = run_interpreter("-c", program, check=False)
    assert done.returncode == 2 and done.stdout == ""
    assert re.fullmatch(
        r"stablegraph: .*cannot be loaded \(it has 100,000 bytes, .*force-reinstall stablegraph\n", done.stderr
    )


def tree(folder):
    """Copy the source tree, with the objects and libraries that were built in it."""
    for name in ("src", "build_kernels", "build"):
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*", "wheels"))


@pytest.mark.jit
@pytest.mark.slow
def test_a_changed_constant_changes_the_answer(tmp_path):
    """The changed constant is the character from which digits are counted, so all numbers of a file are one larger."""
    tree(tmp_path)
    file = tmp_path / "graph.mtx"
    file.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n5 5 1\n2 1\n")
    program = f"import stablegraph as sg; print(*sg.read_graph({str(file)!r}).indices)"

    def run(check=True):
        # Without .pyc files: an old one counts as current if its source was changed within a second.
        environment = {"PYTHONPATH": str(tmp_path / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        return run_interpreter("-c", program, check=check, timeout=1200, **environment)

    assert run().stdout == "1 0\n"
    assert run().stderr == ""
    parser = tmp_path / "src" / "stablegraph" / "io" / "text_kernels.py"
    text = parser.read_text()
    assert "= 32, 43, 45, 48\n" in text
    parser.write_text(text.replace("= 32, 43, 45, 48\n", "= 32, 43, 45, 47\n"))
    done = run()
    assert done.stdout == "2 1\n"
    first, second, last = done.stderr.splitlines()
    assert first.startswith("stablegraph: the compiled kernels do not fit the sources; building them")
    assert second.startswith("compiling ") and last.startswith("built the library of kernels in ")
    assert int(second.split()[1]) < 10
    assert run().stderr == ""
    parser.write_text(text.replace("return", "retrun"))
    assert run(check=False).returncode != 0
    parser.write_text(text)
    assert run().stdout == "1 0\n"


# ---- Requirements of a build


def requirements(monkeypatch, tmp_path, build=None, known=(), has_compiler=True, gpu=False):
    """Return the requirements that the hook requests, on a machine with or without a C compiler."""
    monkeypatch.delenv("STABLEGRAPH_BUILD", raising=False)
    if build is not None:
        monkeypatch.setenv("STABLEGRAPH_BUILD", build)
    monkeypatch.setattr(hatch_build, "system_compiler", lambda: ["cc"] if has_compiler else None)
    monkeypatch.setenv("STABLEGRAPH_BUILD_CUDA", "1" if gpu else "")
    monkeypatch.setattr(hatch_build, "_known", lambda key, suffix: tmp_path if suffix in known else None)

    def abort(message):
        raise SystemExit(message)

    hook = types.SimpleNamespace(
        app=types.SimpleNamespace(abort=abort),
        metadata=types.SimpleNamespace(core=types.SimpleNamespace(dependencies=["numpy>=2.1"])),
    )
    for method in (hatch_build.KernelLibrary._wanted, hatch_build.KernelLibrary._wants_gpu):
        setattr(hook, method.__name__, types.MethodType(method, hook))
    return hatch_build.KernelLibrary.dependencies(hook)


def test_a_build_with_musl_names_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(hatch_build.sysconfig, "get_config_var", {"HOST_GNU_TYPE": "x86_64-pc-linux-musl"}.get)
    with pytest.raises(SystemExit, match=r"musl .* for which Numba has no release"):
        requirements(monkeypatch, tmp_path)
    assert requirements(monkeypatch, tmp_path, build="none") == []


def test_a_build_requests_a_compiler_only_if_it_needs_one(monkeypatch, tmp_path):
    compilers = [f"{name}=={version}" for name, version in hatch_build.COMPILERS.items()]
    zig = [f"{name}=={version}" for name, version in hatch_build.ZIG.items()]
    requested = lambda **options: requirements(monkeypatch, tmp_path, **options)  # noqa: E731
    assert requested() == requested(build="native") == requested(build="") == [*compilers, "numpy>=2.1"]
    assert requested(has_compiler=False) == [*compilers, *zig, "numpy>=2.1"]
    assert requested(build=host_name()) == [*compilers, *zig, "numpy>=2.1"]  # for old C libraries
    assert requested(build="none") == []
    assert requested(known=[".library"]) == requested(build="macos-arm64", known=[".library"]) == []
    cuda = [f"{name}=={version}" for name, version in (hatch_build.CUDA_COMPILERS | hatch_build.CUDA_ASSEMBLER).items()]
    numpy = f"numpy=={hatch_build.NUMPY_OF_CUDA}"
    assert requested(gpu=True) == [*compilers, *cuda, numpy, "numpy>=2.1"]
    assert requested(gpu=True, known=[".library"]) == [*compilers, *cuda, numpy, "numpy>=2.1"]
    assert requested(gpu=True, known=[".zip"]) == [*compilers, "numpy>=2.1"]
    assert requested(gpu=True, known=[".library", ".zip"]) == []


def test_a_build_that_is_not_known_is_refused(monkeypatch, tmp_path):
    with pytest.raises(SystemExit, match=r"must be native, none or one of linux-x86_64, .*, got 'vax'"):
        requirements(monkeypatch, tmp_path, build="vax")
    monkeypatch.setattr("platform.machine", lambda: "vax")
    with pytest.raises(SystemExit, match=r"cannot be compiled for \w+-vax.\nSTABLEGRAPH_BUILD=none "):
        requirements(monkeypatch, tmp_path)


def test_a_compiler_that_does_not_work_counts_as_none(monkeypatch, tmp_path):
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    assert hatch_build.system_compiler() is None


@pytest.mark.parametrize(
    ("versions", "message"),
    [({}, "Compiling needs numba .*, found none: pip install numba=="), ({"numba": "0.1"}, r"numba .*, found 0\.1: ")],
)
def test_other_compilers_are_refused(monkeypatch, versions, message):
    def version(name):
        if name not in versions:
            raise compile.PackageNotFoundError
        return versions[name]

    monkeypatch.setattr(compile, "version", version)
    with pytest.raises(RuntimeError, match=message):
        compile.check_versions(hatch_build.COMPILERS)


def test_the_command_line_explains_itself():
    done = run_interpreter("-m", "build_kernels", "--help", cwd=ROOT)
    assert "--target" in done.stdout
    other = next(name for name in TARGETS if name != host_name())
    done = run_interpreter("-m", "build_kernels", "--target", other, cwd=ROOT, check=False)
    assert done.returncode == 2
    assert f"--target {other} needs --output" in done.stderr


# ---- Imports of the compiler


@pytest.mark.skipif(not PACKAGE.is_dir(), reason="there is no source tree")
def test_only_the_development_back_end_imports_numba():
    result = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "numba" not in text and "llvmlite" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            if {name.partition(".")[0] for name in names} & {"numba", "llvmlite"}:
                result.add(path.relative_to(PACKAGE).parent.as_posix())
    assert result == {"_core/runtime/jit"}
