"""Published checkpoints: prompts and answers, choosing, a server, and a random checkpoint of the same architecture."""

from __future__ import annotations

import json
import socket
import sys
import threading
import types
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from cassc import cli, toolchain
from cassc.amdgpu import emulator
from cassc.amdgpu.assemble import assemble_full
from cassc.diag import CasscError
from cassc.driver import answers, models
from cassc.driver.answers import Answered, Source
from cassc.hip import tools as hip_tools
from cassc.image import cubin as cubin_image
from cassc.lift.lift import lift_kernel
from cassc.lift.module import link_text
from cassc.model import prompt, published
from cassc.model.prompt import Message, Task
from cassc.model.published import Chat, Choice, Local, Server
from cassc.sass.disasm import disassemble
from cassc.target import DEFAULT_TARGET, SmArch

SCALE = Path(__file__).parents[1] / "engines" / "data" / "scale.sm_80.cubin"
CUBIN = cubin_image.parse(SCALE.read_bytes())
FUNCTION = disassemble(CUBIN).functions[0]
emulated = pytest.mark.skipif(emulator.library_path() is None, reason="libcassc_emu.so is not built")


@pytest.fixture(autouse=True)
def own_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASSC_CONFIG_DIR", str(tmp_path / "config"))


def test_the_question_keeps_the_words_of_each_instruction() -> None:
    text = prompt.question(prompt.listing(FUNCTION)).content
    lines = text.splitlines()
    assert lines[:5] == [
        "Convert the following CUDA device assembly code to HIP device assembly:",
        "```cudaasm",
        "code for sm_80",
        f"Function : {FUNCTION.name}",
        '.headerflags @"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM80 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM80)"',
    ]
    assert lines[-3:] == ["..........", "", "```"]
    # As cuobjdump prints it: addresses, not labels, and what only fills the code up without a space at its end.
    assert any(line.startswith("/*0000*/ MOV R1, c[0x0][0x28] ; /* 0x") for line in lines)
    end = next(line for line in lines if " BRA 0x" in line)
    assert f"BRA {int(end[2:6], 16):#x}; /* 0x" in end and sum(" NOP; /* 0x" in line for line in lines) > 1
    word = FUNCTION.instructions[0].word
    assert f"/* {word & (1 << 64) - 1:#018x} */" in text and f"/* {word >> 64:#018x} */" in text


def test_an_answer_is_its_block() -> None:
    assert prompt.answer_in("Sure:\n```hipasm\ns_endpgm\n```\nDone.") == "s_endpgm\n"
    assert prompt.answer_in("```hipasm\ns_nop 0\n```\nBetter:\n```hipasm\ns_endpgm\n```") == "s_endpgm\n"
    assert prompt.answer_in("```cpp\nint x;\n```\n```amd\nint y;\n```\n```\nz\n```", Task.SOURCE) == "int y;\n"
    with pytest.raises(prompt.Truncated):
        prompt.answer_in("```hipasm\ns_endpgm\n")
    with pytest.raises(ValueError, match="no fenced block"):
        prompt.answer_in("I cannot do that.")


def test_the_checkpoint_of_the_nearest_gpu_is_taken(tmp_path: Path) -> None:
    for name in ("cass-smA100-7B", "cass-sm4090-3B", "cass-src-7b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    assert published.checkpoint(tmp_path, SmArch(80)).name == "cass-smA100-7B"
    assert published.checkpoint(tmp_path, SmArch(89)).name == "cass-sm4090-3B"
    assert published.checkpoint(tmp_path, SmArch(90)).name == "cass-sm4090-3B"
    assert published.checkpoint(tmp_path, SmArch(80), Task.SOURCE).name == "cass-src-7b"
    assert published.checkpoint(tmp_path / "cass-src-7b", SmArch(80)).name == "cass-src-7b"


def test_a_folder_without_a_checkpoint_for_source_says_so(tmp_path: Path) -> None:
    (tmp_path / "cass-smA100-7B").mkdir()
    (tmp_path / "cass-smA100-7B" / "config.json").write_text("{}")
    with pytest.raises(CasscError, match="translates source: cass-smA100-7B"):
        published.checkpoint(tmp_path, SmArch(80), Task.SOURCE)


def test_a_folder_without_checkpoint_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["model", "use", str(tmp_path)]) != 0
    assert "config.json" in capsys.readouterr().err


def test_use_is_remembered_and_forgotten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text("{}")
    assert cli.main(["model", "use", str(tmp_path), "--form", "fp32"]) == 0
    choice = Choice.load(models.choice_file())
    assert choice is not None and choice.place == str(tmp_path.resolve()) and choice.form == "fp32"
    assert cli.main(["model", "forget"]) == 0
    assert Choice.load(models.choice_file()) is None
    capsys.readouterr()
    assert cli.main(["model", "translate", str(SCALE)]) != 0
    assert "cassc model use" in capsys.readouterr().err


@pytest.mark.parametrize("content", ['{"place": 3}', '{"place": "x"', "[]", '{"place": "x", "most_tokens": "9"}', ""])
def test_a_choice_that_cannot_be_read_is_named(content: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = models.choice_file()
    file.parent.mkdir()
    file.write_text(content)
    assert cli.main(["model", "info"]) == 1
    assert "cannot be read" in capsys.readouterr().err
    assert cli.main(["model", "forget"]) == 0
    file.mkdir()
    for words in (["forget"], ["use", "http://localhost"]):
        assert cli.main(["model", *words]) == 1
        assert "model-bad-choice" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [(["ftp://host"], "no server"), (["http://"], "no server"), ([".", "--most-tokens", "0"], "x>=1")],
)
def test_what_cannot_be_used_is_refused(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["model", "use", *words]) == 2
    assert told in capsys.readouterr().err


def right_answer() -> str:
    """What a model that is right would say: here the lifter's assembly."""
    text = link_text([lift_kernel(FUNCTION, CUBIN)], DEFAULT_TARGET)
    assembly = assemble_full(text, DEFAULT_TARGET, keep=True).assembly
    return f"```hipasm\n{assembly}```"


def ask(chat: Chat, attempts: int) -> Answered:
    judge = answers.of_kernel(FUNCTION, CUBIN, 0.5)
    return answers.ask(chat, FUNCTION.name, prompt.listing(FUNCTION), Task.ASSEMBLY, judge, attempts)


class Scripted:
    """A chat that has its answers ready."""

    def __init__(self, answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[list[Message]] = []

    def ask(self, messages: Sequence[Message], seed: int) -> str:
        self.asked.append(list(messages))
        return self.answers[len(self.asked) - 1]


@emulated
def test_a_wrong_answer_is_given_back_with_its_counterexample() -> None:
    right = right_answer()
    wrong = right.replace("v_mul_f32", "v_add_f32")
    assert wrong != right
    chat = Scripted(["```hipasm\n", wrong, right])
    answered = ask(chat, 4)
    assert answered.status == "accepted" and answered.attempts == 3 and answered.products[".hsaco"]
    assert len(chat.asked[1]) == 1
    assert "not equivalent" in chat.asked[2][-1].content and chat.asked[2][1].content == wrong


@emulated
def test_answers_that_never_assemble_are_unusable() -> None:
    answered = ask(Scripted(["```hipasm\nnonsense\n```"] * 2), 2)
    assert answered.status == "unusable" and not answered.products


SOURCE = """#include <cuda_runtime.h>
template <class T> __device__ T twice(T x) { return x + x; }
__global__ void sums(const int *in, int *out, int n) {
    __shared__ int part[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x & 63] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n) out[i] = twice(part[(threadIdx.x ^ 1) & 63]) + STEP;
}
int main() {
    int *p;
    cudaMalloc(&p, 256);
    sums<<<1, 64>>>(p, p + 32, 32);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def in_hip(text: str) -> str:
    text = text.replace("cuda_runtime.h", "hip/hip_runtime.h").replace("cudaSuccess", "hipSuccess")
    launch = "hipLaunchKernelGGL(sums, dim3(1), dim3(64), 0, 0, p, p + 32, 32)"
    text = text.replace("sums<<<1, 64>>>(p, p + 32, 32)", launch).replace("cudaMalloc", "hipMalloc")
    return f"```amd\n{text.replace('cudaDevice', 'hipDevice')}```"


@emulated
@pytest.mark.skipif(bool(hip_tools.lacks()) or toolchain.find_nvcc() is None, reason="no nvcc, or no clang for HIP")
def test_hip_source_is_compiled_and_its_kernels_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "sums.cu"
    file.write_text(SOURCE)
    right = in_hip(SOURCE)
    chat = Scripted([right.replace("twice(part", "thrice(part"), right.replace("^ 1", "^ 2"), right])
    judge = answers.of_source(Source(file, SmArch(80), ("-D", "STEP=3")), 0.5)
    answered = answers.ask(chat, "sums", SOURCE, Task.SOURCE, judge, 4)
    assert answered.status == "accepted" and answered.attempts == 3
    unusable = answers.ask(
        Scripted([right.replace("twice(part", "thrice(part")]), "sums", SOURCE, Task.SOURCE, judge, 1
    )
    assert unusable.status == "unusable"
    assert unusable.reason.startswith("answer.cu:8:25: error: use of undeclared identifier 'thrice'")
    assert answered.products[".hip"].decode() in right and answered.products[".hsaco"][:4] == b"\x7fELF"
    assert chat.asked[0][0].content == f"Convert the following CUDA code to AMD GPU code:\n```cuda\n{SOURCE}\n```"
    assert "kernel 'sums(int const*, int*, int)'" in chat.asked[2][-1].content
    with pytest.raises(CasscError, match="nvcc refuses the source"):
        answers.of_source(Source(file, SmArch(80)), 0.5)


class _Handler(BaseHTTPRequestHandler):
    bodies: ClassVar[list[Any]] = []

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.bodies.append((self.path, json.loads(self.rfile.read(length))))
        reply = json.dumps({"choices": [{"message": {"content": "```hipasm\ns_endpgm\n```"}}]}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, format: str, *args: Any) -> None: ...


@pytest.fixture
def server() -> Iterator[str]:
    found = HTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=found.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{found.server_port}"
    found.shutdown()
    thread.join()
    found.server_close()


def test_a_server_is_asked_by_its_protocol(server: str) -> None:
    text = Server(Choice(server + "/v1", "cass-7b")).ask([Message("user", "question")], 3)
    assert prompt.answer_in(text) == "s_endpgm\n"
    path, body = _Handler.bodies[-1]
    assert path == "/v1/chat/completions"
    assert body["model"] == "cass-7b" and body["seed"] == 3 and body["temperature"] > 0
    assert body["messages"] == [{"role": "user", "content": "question"}]


@pytest.mark.parametrize(
    "reply",
    [
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 100_000,
        b"",
    ],
    ids=["no HTTP", "cut off", "too deep", "closed"],
)
def test_a_server_that_answers_with_anything_else_is_named(reply: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            with listening.accept()[0] as connection:
                connection.recv(1 << 16)
                connection.sendall(reply)

        answering = threading.Thread(target=answer)
        answering.start()
        with pytest.raises(CasscError) as problem:
            Server(Choice(f"http://127.0.0.1:{listening.getsockname()[1]}")).ask([Message("user", "question")], 0)
        answering.join()
    assert problem.value.diagnostics[0].id == "model-server"


@pytest.mark.parametrize("place", ["http://a b", "http://127.0.0.1:abc", "http://[::1"])
def test_a_server_whose_address_is_none_is_named(place: str) -> None:
    with pytest.raises(CasscError) as problem:
        Server(Choice(place)).ask([Message("user", "question")], 0)
    assert problem.value.diagnostics[0].id == "model-server"


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(CasscError) as problem:
        Server(Choice("http://127.0.0.1:1")).ask([Message("user", "?")], 0)
    assert problem.value.diagnostics[0].id == "model-server"


@pytest.mark.parametrize("name", ["torch", "transformers", "accelerate", "bitsandbytes"])
def test_a_package_that_is_missing_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in ("torch", "transformers", "accelerate"):
        monkeypatch.setitem(sys.modules, other, types.ModuleType(other))
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(CasscError, match=f"need {name}") as problem:
        Local(tmp_path, Choice(str(tmp_path), form="int4"))
    extras = "model,quantised" if name in ("accelerate", "bitsandbytes") else "model"
    assert f"'cassc[{extras}]'" in problem.value.diagnostics[0].notes[0].message


def test_hardware_that_cannot_hold_the_weights_so_is_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Refusing:
        def __getattr__(self, name: str) -> Any:
            return self

        def __call__(self, *arguments: Any, **named: Any) -> Any:
            if "quantization_config" in named:
                raise RuntimeError("\nno kernel image for this device\nmore of it")
            return self

    for name in ("torch", "transformers", "accelerate", "bitsandbytes"):
        monkeypatch.setitem(sys.modules, name, Refusing())
    monkeypatch.setattr(published, "stretched", lambda config: 1)
    with pytest.raises(CasscError) as problem:
        Local(tmp_path, Choice(str(tmp_path), form="int8"))
    (told,) = problem.value.diagnostics
    assert told.id == "model-bad-checkpoint"
    assert told.message.endswith("cannot be loaded as int8 on this machine: no kernel image for this device")


@pytest.fixture(scope="module")
def random_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the published ones' architecture (Qwen2), with a letter for each token."""
    torch = pytest.importorskip("torch", reason="the extra 'model' is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra 'model' is not installed")
    tokenizers = pytest.importorskip("tokenizers", reason="the extra 'model' is not installed")
    words = {chr(k): k for k in range(128)} | {"<|endoftext|>": 128, "<|im_start|>": 129, "<|im_end|>": 130}
    backend = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=words, merges=[]))
    backend.decoder = tokenizers.decoders.Fuse()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    tokenizer.chat_template = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    folder = tmp_path_factory.mktemp("checkpoint")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.Qwen2Config(
        vocab_size=131,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=4096,
    )
    transformers.Qwen2ForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", ["fp32", "bf16", "int8", "int4"])
def test_a_random_checkpoint_of_the_same_architecture_answers(random_checkpoint: Path, form: str) -> None:
    if form in ("int8", "int4"):
        pytest.importorskip("bitsandbytes", reason="the extra 'quantised' is not installed")
    chat = Local(random_checkpoint, Choice(str(random_checkpoint), form=form, most_tokens=24))
    assert chat.context == published.MOST_CONTEXT
    layer = chat.model.model.layers[0].self_attn.q_proj
    sizes = {"fp32": 4, "bf16": 2, "int8": 1, "int4": 0.5}
    assert layer.weight.numel() * layer.weight.element_size() == sizes[form] * 128 * 128
    asked = [prompt.question("MOV R1, R2 ;")]
    greedy, sampled = chat.ask(asked, 0), chat.ask(asked, 5)
    assert greedy == chat.ask(asked, 0) and sampled == chat.ask(asked, 5)
    if form == "fp32":
        answered = ask(chat, 1)
        assert answered.status == "unusable" and answered.reason
