"""The archive of GPU code: its use, its build, the choice of a member, and its contents."""

import zipfile
from types import SimpleNamespace

import pytest

from build_kernels import cache
from stablegraph._core.runtime import CudaSource, device, launching, library, sources
from stablegraph._core.runtime.cuda import gpu_code

NAME = "stablegraph._core.runtime.primitives.scan_shares int32[] int32[] int64[]"


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """Replace the package's archive by a small archive of the current sources."""
    path = tmp_path / "stablegraph.gpu.zip"
    with zipfile.ZipFile(path, "w") as result:
        result.writestr("source", "PTX")
        result.writestr("source sm_80", "Ampere")
        result.comment = sources.source_hash(gpu=True).encode()
    monkeypatch.setattr(gpu_code, "PATH", path)
    gpu_code._opened.cache_clear()
    yield path
    gpu_code._opened.cache_clear()


def have_gpu(monkeypatch, capability):
    cupy = SimpleNamespace(cuda=SimpleNamespace(Device=lambda: SimpleNamespace(compute_capability=capability)))
    monkeypatch.setattr(device, "cupy_module", lambda: cupy)


@pytest.mark.parametrize(
    ("capability", "code"), [("75", b"PTX"), ("80", b"Ampere"), ("89", b"Ampere"), ("90", b"PTX"), ("120", b"PTX")]
)
def test_machine_code_is_taken_by_the_gpus_that_run_it(archive, monkeypatch, capability, code):
    have_gpu(monkeypatch, capability)
    assert gpu_code.code("source") == code
    assert gpu_code.code("another") is None


@pytest.mark.parametrize("can_compile", [False, True])
def test_an_archive_of_other_sources_is_not_used(archive, monkeypatch, can_compile):
    built = []
    with zipfile.ZipFile(archive, "a") as result:
        result.comment = b"another"
    monkeypatch.setattr(library, "is_source_tree", lambda: True)
    monkeypatch.setattr(gpu_code, "can_compile", lambda: can_compile)
    monkeypatch.setattr(library, "build", lambda fits, *options: built.append((fits(), *options)))
    assert (gpu_code.opened() is None) == (not can_compile)
    assert built == [(False, "--gpu")] * can_compile


def test_the_archive_of_an_installed_package_is_not_compared(archive, monkeypatch):
    monkeypatch.setattr(library, "is_source_tree", lambda: False)
    monkeypatch.setattr(sources, "source_hash", lambda **_: pytest.fail("compared"))
    assert gpu_code.opened().namelist() == ["source", "source sm_80"]


@pytest.mark.parametrize("contents", [None, b"", b"no zip file"])
def test_an_archive_that_is_none_has_no_hash(archive, contents):
    archive.unlink() if contents is None else archive.write_bytes(contents)
    assert gpu_code.hash_in(archive) == ""


def test_a_damaged_archive_of_an_installed_package_names_the_cure(archive, monkeypatch):
    """At each length before its comment, the hash, which no reader needs; or where its list or a member is damaged."""
    monkeypatch.setattr(library, "is_source_tree", lambda: False)
    have_gpu(monkeypatch, "75")
    whole = archive.read_bytes()
    place = whole.index(b"PTX")
    damaged = [whole[:size] for size in range(len(whole) - 32)] + [
        whole[:place] + b"?" + whole[place + 1 :],
        b"\0" * 3000,
    ]
    for contents in damaged:
        archive.write_bytes(contents)
        gpu_code._opened.cache_clear()
        with pytest.raises(ImportError, match=r"GPU code cannot be read \(.*\); run: pip install --force-reinstall"):
            gpu_code.code("source")


def test_the_hash_covers_cuda_sources(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "PACKAGE", tmp_path / "src" / "stablegraph")
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    sources.PACKAGE.mkdir(parents=True)
    source = sources.PACKAGE / "rounds.cu"
    source.write_text("one")
    of_library, of_archive = sources.source_hash(), sources.source_hash(gpu=True)
    source.write_text("two")
    assert sources.source_hash() == of_library
    assert sources.source_hash(gpu=True) != of_archive


def test_a_kernel_without_an_archive_names_the_cure(monkeypatch, tmp_path):
    from stablegraph._core.runtime.primitives import scan_shares

    monkeypatch.setattr(gpu_code, "opened", lambda: None)
    with pytest.raises(RuntimeError, match=r"wheels of releases .* STABLEGRAPH_BUILD_CUDA=1"):
        launching._code(scan_shares, (), (), 0)


# ---- Building it


def test_only_files_with_kernels_are_left_out():
    pytest.importorskip("numba")
    from build_kernels import forms, gpu

    modules = {kernel.function.__module__.removeprefix("stablegraph.") for kernel in forms.all_kernels().values()}
    assert set(gpu.ONLY_ON_CPU) <= modules and "_core.engines.union" in modules - set(gpu.ONLY_ON_CPU)


@pytest.mark.jit
@pytest.mark.skipif(not gpu_code.can_compile(), reason="no CUDA compiler for Python; install the extra 'ptx'")
def test_code_is_kept_and_compiled_again_if_it_is_damaged(tmp_path, monkeypatch, capsys):
    from build_kernels import gpu

    monkeypatch.setattr(gpu, "_FOLDER", tmp_path)
    kernels = [
        member for member in gpu._kernel_members() if member.name.startswith("stablegraph._core.runtime.primitives.")
    ]
    programs = [
        member for member in gpu._source_members() if member.name.startswith("gallery/cuda/reference_kernels.cu")
    ]
    monkeypatch.setattr(gpu, "_kernel_members", lambda: kernels[:3])  # of one form: PTX, and code of two machines
    monkeypatch.setattr(gpu, "_source_members", lambda: programs[:2])
    first = gpu.build_archive("hash", 1)
    assert capsys.readouterr().out == "compiling 5 of 5 members of the archive with 1 processes\n"
    assert gpu.build_archive("hash", 1) == first
    assert capsys.readouterr().out == ""
    damaged = next(path for key, path in cache.read(tmp_path, ".code").items() if key == kernels[0].key)
    damaged.write_bytes(b"damaged")
    assert gpu.build_archive("hash", 1) == first  # compiling is deterministic
    assert capsys.readouterr().out.startswith("compiling 1 of 5 members")


@pytest.mark.jit
@pytest.mark.skipif(not gpu_code.can_compile(), reason="no CUDA compiler for Python; install the extra 'ptx'")
def test_a_source_that_cannot_be_compiled_is_an_error_with_the_place(tmp_path, monkeypatch):
    from build_kernels import gpu

    wrong = tmp_path / "wrong.cu"
    wrong.write_text("KERNEL(1) wrong() { int x = y; }\n")
    monkeypatch.setattr(CudaSource, "registry", [])
    source = CudaSource(str(tmp_path / "wrong.py"), "wrong.cu")
    monkeypatch.setattr(gpu, "_sources", lambda: [source])
    with pytest.raises(
        TypeError, match=r'wrong.cu .* cannot be compiled for a GPU: (.|\n)*identifier "y" is undefined'
    ):
        gpu._compile_member(gpu._source_members()[0])


@pytest.mark.skipif(not gpu_code.PATH.exists(), reason="no archive of GPU code; STABLEGRAPH_BUILD_CUDA=1 builds it")
def test_the_archive_has_every_form_as_it_is_launched():
    """As PTX, whose parameters are compared with the packed ones; with 32-bit indices also as machine code."""
    from build_kernels.forms import INDEX_TYPES, all_kernels, forms_of
    from build_kernels.gpu import ONLY_ON_CPU

    with zipfile.ZipFile(gpu_code.PATH) as archive:
        names = set(archive.namelist())
        for name, kernel in all_kernels().items():
            if kernel.function.__module__.removeprefix("stablegraph.") in ONLY_ON_CPU:
                continue
            frequent = forms_of(kernel, INDEX_TYPES[:1])
            for form in forms_of(kernel):
                if not form.constants:
                    member = launching.member_name(name, form.types)
                    assert member in names
                    entry, widths = launching._entry_point(archive.read(member))
                    launching._packer(form.types if kernel.by == "single" else ("int", *form.types), widths)
                    for machine in gpu_code.MACHINE_CODE if form in frequent else ():
                        translated = archive.read(gpu_code.machine_code(member, machine))
                        assert launching._entry_point(translated) == (entry, None)
