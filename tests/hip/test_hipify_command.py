"""``cassc hipify`` on files, folders and CMake files."""

from __future__ import annotations

from pathlib import Path

import pytest

from cassc.diag import CasscError
from cassc.driver.hipify import Wanted, run
from cassc.hip import cmake


@pytest.fixture(autouse=True)
def _lexer() -> None:
    from cassc.hip import tools

    if tools.find_lexer() is None:
        pytest.skip("libclang is not installed")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src/a.cu").write_text("void f() { cudaDeviceSynchronize(); }\n__global__ void k() { __syncwarp(); }\n")
    (folder / "src/plain.cpp").write_text("int main() {}\n")
    (folder / "CMakeLists.txt").write_text("project(p LANGUAGES CXX CUDA)\nadd_executable(p src/a.cu src/plain.cpp)\n")
    return folder


class Output:
    def __init__(self) -> None:
        self.said: list[str] = []
        self.told: list[str] = []

    def run(self, wanted: Wanted) -> int:
        return run(wanted, self.said.append, self.told.append)


def test_one_file_goes_to_the_standard_output(project: Path) -> None:
    output = Output()
    assert output.run(Wanted((project / "src/a.cu",))) == 0
    assert "hipDeviceSynchronize();" in output.said[0]
    assert (project / "src/a.cu").exists()


def test_folder_to_folder(project: Path, tmp_path: Path) -> None:
    output = Output()
    made = tmp_path / "made"
    assert output.run(Wanted((project,), output=made)) == 0
    assert sorted(str(p.relative_to(made)) for p in made.rglob("*") if p.is_file()) == [
        "CMakeLists.txt",
        "src/a.hip",
        "src/hip_gaps.h",
        "src/plain.cpp",
    ]
    assert (
        made / "CMakeLists.txt"
    ).read_text() == "project(p LANGUAGES CXX HIP)\nadd_executable(p src/a.hip src/plain.cpp)\n"
    assert "[2/3]" in output.told[1]
    assert output.told[-1].endswith("3 files, 2 changed, 0 errors, 0 warnings")
    assert output.run(Wanted((project / "src/plain.cpp",), check=True)) == 0
    assert output.told[-1].endswith(": 1 file, 0 changed, 0 errors, 0 warnings")


def _content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_an_output_folder_inside_the_input_is_not_read(project: Path) -> None:
    """Two runs give the same, and so the second one says the same of the files."""
    first, second = Output(), Output()
    wanted = Wanted((project,), output=project / "src" / ".." / "out")
    assert first.run(wanted) == 0
    before = _content(project)
    assert "out/src/a.hip" in before
    assert "out/src/plain.cpp" in before
    assert second.run(wanted) == 0
    assert _content(project) == before
    assert second.told[0].endswith("out' is left out: the results go there")
    assert second.told[1:] == first.told


@pytest.mark.parametrize("name", ["h.cuh", "./../project/h.cuh", "soft.cuh", "hard.cuh"])
def test_an_output_that_is_the_input_is_refused(project: Path, name: str) -> None:
    source = project / "h.cuh"
    source.write_text("void g() { cudaFree(0); }\n")
    (project / "soft.cuh").symlink_to(source)
    (project / "hard.cuh").hardlink_to(source)
    before = _content(project)
    with pytest.raises(CasscError, match=r"input file '.*h\.cuh' is the same as output file '.*cuh'"):
        Output().run(Wanted((source,), output=project / name))
    assert _content(project) == before


def test_a_folder_onto_itself_is_refused_before_anything_is_written(project: Path) -> None:
    before = _content(project)
    with pytest.raises(CasscError, match=r"CMakeLists\.txt' is the same"):
        Output().run(Wanted((project,), output=project))
    assert _content(project) == before


def test_in_place(project: Path) -> None:
    assert Output().run(Wanted((project,), in_place=True)) == 0
    assert (project / "src/a.hip").exists()
    assert not (project / "src/a.cu").exists()


def test_a_second_run_in_place_changes_nothing(project: Path) -> None:
    output = Output()
    assert output.run(Wanted((project,), in_place=True)) == 0
    assert (project / "src/hip_gaps.h").exists()
    assert output.run(Wanted((project,), check=True)) == 0, output.told


def test_a_difference_names_the_file_that_is_written(project: Path) -> None:
    (project / "src/b.cuh").write_text("void g() { cudaFree(0); }\n")
    output = Output()
    output.run(Wanted((project,), diff=True))
    written = [line.partition("src/")[2] for line in output.said if line.startswith("+++") and "src/" in line]
    assert written == ["a.hip", "b.cuh"]


def test_check_and_diff_write_nothing(project: Path) -> None:
    before = {p: p.read_bytes() for p in project.rglob("*") if p.is_file()}
    output = Output()
    assert output.run(Wanted((project,), check=True)) == 1
    assert output.run(Wanted((project,), diff=True)) == 0
    assert any(line.startswith("+void f() { hipDeviceSynchronize") for line in output.said)
    assert {p: p.read_bytes() for p in project.rglob("*") if p.is_file()} == before
    assert output.run(Wanted((project / "src/plain.cpp",), check=True)) == 0


def test_errors_make_the_status(project: Path) -> None:
    (project / "src/b.cu").write_text('__device__ void g() { asm("trap;"); }\n')
    output = Output()
    assert output.run(Wanted((project,), check=True)) == 1
    assert any("b.cu:1:23: error: inline PTX" in line for line in output.told)


def test_several_files_need_a_place(project: Path) -> None:
    with pytest.raises(CasscError, match="name a folder"):
        Output().run(Wanted((project,)))
    with pytest.raises(CasscError, match="no such file"):
        Output().run(Wanted((project / "nothing.cu",)))


@pytest.mark.parametrize("data", [b"\x7fELF\x02\x01", b"int x;\n\x00", bytes(range(200, 256)) + b"\x03"])
def test_what_is_no_text_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.cu").write_bytes(data)
    with pytest.raises(CasscError, match="is no source text"):
        Output().run(Wanted((tmp_path / "a.cu",)))


def test_a_folder_without_sources_is_told(tmp_path: Path) -> None:
    with pytest.raises(CasscError, match="no sources in"):
        Output().run(Wanted((tmp_path,), check=True))


def test_options_and_variables_of_nvcc_are_told() -> None:
    text = """find_package(CUDA REQUIRED)
cuda_add_executable(a a.cu)
target_link_libraries(a ${CUDA_LIBRARIES})
target_compile_options(a PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--use_fast_math> -arch=sm_80 -Wall)
"""
    made = cmake.convert(text, "CMakeLists.txt")
    assert made.text.splitlines()[0] == "find_package(hip REQUIRED)"
    assert "$<$<COMPILE_LANGUAGE:HIP>:-ffast-math> -arch" in made.text
    assert [(d.location.line, d.location.column) for d in made.diagnostics] == [(2, 1), (3, 25), (4, 78)]


def test_cmake() -> None:
    text = """# CUDA stays in comments
find_package(CUDAToolkit 12.0 REQUIRED COMPONENTS cudart)
set(CMAKE_CUDA_ARCHITECTURES 80 90)
set_target_properties(t PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_STANDARD 17)
target_link_libraries(t CUDA::cudart CUDA::cublas CUDA::nvjpeg)
target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-O3> "${CMAKE_CUDA_FLAGS}")
file(GLOB s *.cu)
"""
    made = cmake.convert(text, "CMakeLists.txt")
    lines = made.text.splitlines()
    assert lines[0] == "# CUDA stays in comments"
    assert lines[1] == "find_package(hip REQUIRED)"
    assert lines[2] == "find_package(hipblas REQUIRED)"
    assert lines[3] == "set(CMAKE_HIP_ARCHITECTURES gfx1100 gfx1100)"
    assert "HIP_STANDARD 17" in lines[4]
    assert lines[5] == "target_link_libraries(t hip::host roc::hipblas CUDA::nvjpeg)"
    assert lines[6] == 'target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:HIP>:-O3> "${CMAKE_HIP_FLAGS}")'
    assert lines[7] == "file(GLOB s *.hip)"
    errors = [(d.location.line, d.location.column) for d in made.diagnostics if d.severity.value == "error"]
    assert errors == [(4, 36), (5, 51)]


def test_cmake_variables_features_and_plain_libraries() -> None:
    text = """target_compile_features(t PUBLIC cuda_std_17)
target_link_libraries(t cudnn -lnccl CUDA::curand)
set(cudnn ${CMAKE_CUDA_COMPILER_VERSION} ${CUDAToolkit_VERSION} CMAKE_CUDA_SEPARABLE_COMPILATION USE_CUDA)
"""
    made = cmake.convert(text, "CMakeLists.txt")
    lines = made.text.splitlines()
    assert lines[0] == "target_compile_features(t PUBLIC hip_std_17)"
    assert lines[1] == "target_link_libraries(t MIOpen -lrccl hip::hiprand)"
    assert lines[2].startswith("set(cudnn ${CMAKE_HIP_COMPILER_VERSION} ${CUDAToolkit_VERSION} ")
    assert [(d.severity.value, d.location.line, d.location.column) for d in made.diagnostics] == [
        ("warning", 1, 1),
        ("error", 3, 42),
        ("error", 3, 65),
    ]


def test_macros_of_other_files_are_the_projects(project: Path, tmp_path: Path) -> None:
    (project / "src/check.h").write_text("#define CUBLAS_CHECK(x) x\n#define GRID {1, 2}\n")
    (project / "src/a.cu").write_text("void f() { CUBLAS_CHECK(cublasCreate(&h)); k<<<GRID, 4>>>(); }\n")
    output = Output()
    assert output.run(Wanted((project,), output=tmp_path / "made")) == 0, output.told
    assert "CUBLAS_CHECK(hipblasCreate(&h)); k<<<dim3(GRID), 4>>>()" in (tmp_path / "made/src/a.hip").read_text()
