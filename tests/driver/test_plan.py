"""Plans, on a machine that is only described."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from cassc.diag import CasscError
from cassc.driver.invocation import parse
from cassc.driver.plan import Compile, DeviceLink, Finish, Plan, Translate, plan
from cassc.driver.toolkit import Toolkit
from cassc.toolchain import Nvcc, Toolchain

SCRATCH = Path("/scratch")
NVCC = Nvcc(Path("/cuda/bin/nvcc"), "PATH", (13, 0, 88), "", Path("/cuda"), None, "libcudart.so.13")
MACHINE = Toolchain(
    nvcc=NVCC, cxx=Path("/bin/g++"), ar=Path("/bin/ar"), runtime=Path("/lib/cassc"), hip=None, gpu=False
)


KIT = Toolkit(Path("/kit"), (13, 0, 88))


def planned(command: str, machine: Toolchain = MACHINE) -> Plan:
    return plan(parse(command.split()), machine, KIT, SCRATCH)


def shape(made: Plan) -> list[str]:
    return [type(job).__name__ for job in made.jobs]


def finals(made: Plan) -> list[str]:
    return [str(delivery.final) for delivery in made.deliveries]


def link_command(made: Plan) -> list[str]:
    finish = made.jobs[-1]
    assert isinstance(finish, Finish)
    return list(finish.command)


def test_program() -> None:
    made = planned("a.cu sub/b.cpp -o prog")
    assert shape(made) == ["Compile", "Translate", "Compile", "Finish"]
    assert finals(made) == ["prog"]
    words = link_command(made)
    assert words[0] == "/bin/g++"
    start, end = words.index("-Wl,--start-group"), words.index("-Wl,--end-group")
    inside = words[start:end]
    assert inside[1:3] == ["/scratch/0-a.translated.o", "/scratch/1-b.o"]
    assert inside[3:] == ["-L/kit/lib", "-lcudadevrt", "-lcudart_static", "-lrt", "-lpthread", "-ldl"]
    assert "-shared" not in words


def test_build_systems_find_the_link_line() -> None:
    """CMake takes the line that holds the text of ``LIBRARIES=`` for the link."""
    made = planned("a.cu -v")
    (libraries,) = [line.partition("=")[2] for line in made.environment if line.startswith("#$ LIBRARIES=")]
    assert libraries in shlex.join(link_command(made))
    assert "#$ TOP=/kit" in made.environment
    assert "#$ NVVMIR_LIBRARY_DIR=/kit/nvvm/libdevice" in made.environment


@pytest.mark.parametrize("kind", ["static", "shared", "none"])
def test_kind_of_the_runtime(kind: str) -> None:
    words = link_command(planned(f"a.cu -cudart {kind}"))
    expected = {"static": ["-lcudart_static"], "shared": ["-lcudart"], "none": []}[kind]
    assert [w for w in words if "cudart" in w] == expected


def test_nvidia_libraries_are_replaced() -> None:
    words = link_command(planned("a.cu -lcudart -lcudart_static -lcudadevrt -lm -shared -o x.so"))
    assert [w for w in words if w.startswith("-l") and "cuda" in w] == ["-lcudadevrt", "-lcudart_static"]
    assert "-lm" in words
    assert "-shared" in words


def test_objects_of_several_sources() -> None:
    made = planned("-c x/a.cu y/b.c -odir out")
    assert shape(made) == ["Compile", "Translate", "Compile"]
    assert finals(made) == ["out/a.o", "out/b.o"]


def test_same_name_in_two_folders() -> None:
    made = planned("x/a.cu y/a.cu -o prog")
    outputs = [job.output for job in made.jobs if isinstance(job, Compile | Translate)]
    assert len(set(outputs)) == len(outputs)


def test_language_is_given_only_where_the_suffix_says_another() -> None:
    commands = [job.command for job in planned("-c a.cu b.cpp").jobs if isinstance(job, Compile)]
    assert all("-x" not in command for command in commands)
    (command,) = [job.command for job in planned("-c -x cu a.cpp").jobs if isinstance(job, Compile)]
    assert command[command.index("-x") + 1] == "cu"


def test_device_link_only_where_it_may_be_needed() -> None:
    assert "DeviceLink" not in shape(planned("a.cu"))
    assert shape(planned("a.cu -rdc=true")) == ["Compile", "Translate", "DeviceLink", "Translate", "Finish"]
    assert "DeviceLink" in shape(planned("a.o"))
    assert "DeviceLink" not in shape(planned("a.o -nodlink"))


def test_device_link_of_the_wheels_names_their_libraries() -> None:
    machine = replace(MACHINE, nvcc=replace(NVCC, libraries=Path("/wheel/lib")))
    (job,) = [j for j in planned("-dlink a.o -o d.o", machine).jobs if isinstance(j, DeviceLink)]
    assert job.command[job.command.index("-L") + 1] == "/wheel/lib"
    assert job.always


def test_device_link_searches_no_folder_of_ours() -> None:
    (job,) = [j for j in planned("-dlink a.o -L/kit/lib -L/mine").jobs if isinstance(j, DeviceLink)]
    assert [word for word in job.command if word.startswith("/") and "nvcc" not in word] == [
        "/scratch/dlink.o",
        "/mine",
    ]


def test_translated_objects_link_without_nvcc() -> None:
    assert shape(planned("a.o -o prog", replace(MACHINE, nvcc=None))) == ["Translate", "Finish"]


def test_archive() -> None:
    made = planned("-lib a.cu b.o -o libx.a")
    assert shape(made) == ["Compile", "Translate", "Translate", "Finish"]
    assert link_command(made) == ["/bin/ar", "rcs", "/scratch/archive.a", "/scratch/0-a.translated.o", "/scratch/1-b.o"]
    assert finals(made) == ["libx.a"]


def test_product_of_nvcc_alone() -> None:
    made = planned("-ptx a.cu -o a.ptx -arch=sm_90 --offload-arch=gfx1101")
    assert link_command(made) == ["/cuda/bin/nvcc", "-ptx", "-o", "a.ptx", "-arch", "sm_90", "a.cu"]
    assert finals(made) == []


def test_keep_and_verbose_reach_nvcc() -> None:
    (command,) = [j.command for j in planned("-c a.cu -v --keep --keep-dir k").jobs if isinstance(j, Compile)]
    assert command[-4:] == ("-v", "--keep", "--keep-dir", "k")


def test_dependency_file_of_a_program_is_named_by_the_program() -> None:
    made = planned("-MD a.cu -o out/prog")
    assert finals(made) == ["out/prog.d", "out/prog"]
    (command,) = [job.command for job in made.jobs if isinstance(job, Compile)]
    assert command[command.index("-MT") + 1] == "out/prog"


def test_objects_are_left_out_where_nothing_is_linked() -> None:
    assert planned("-c a.o").jobs == ()


def test_device_code_is_linked_as_it_is() -> None:
    (job,) = [job for job in planned("-dlink a.o b.cubin c.ptx").jobs if isinstance(job, DeviceLink)]
    assert [str(path) for path in job.inputs] == ["/scratch/0-a.o", "b.cubin", "c.ptx"]


def test_device_code_becomes_an_object() -> None:
    (job,) = [job for job in planned("-dc a.ptx").jobs if isinstance(job, Compile)]
    assert job.command[1:3] == ("-dc", "a.ptx")


def test_objects_are_linked_to_one() -> None:
    words = link_command(planned("-r a.o b.o -o c.o"))
    assert words[words.index("/scratch/1-b.o") + 1 :] == ["-r", "-nostdlib", "-Wl,--end-group"]


def test_host_sources_need_no_nvcc() -> None:
    made = planned("-c a.cpp b.c s.S -I x,y -DA='1' -O2 -Xcompiler -fPIC", replace(MACHINE, nvcc=None))
    commands = [list(job.command) for job in made.jobs if isinstance(job, Compile)]
    assert len(commands) == 3
    for command, language in zip(commands, ("c++", "c", "none"), strict=True):
        assert command[:4] == ["/bin/g++", "-c", "-m64", "-Ix"]
        assert "-fPIC" in command
        assert command[command.index("-x") + 1] == language
    with pytest.raises(CasscError, match="nvcc was not found"):
        planned("--engine=lift -c a.cu", replace(MACHINE, nvcc=None))
