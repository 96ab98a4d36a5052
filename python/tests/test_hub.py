"""Models of transformers: exported from their configuration, with nothing downloaded."""

import hashlib
import importlib.util
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from compiling import Compiled
from serving import EXPORT, SEED, WEIGHTS, Serving, Zygote

from assay_worker import hub, hub_files, kernelbench

GPT2 = "GPT2Config(n_layer=2, n_embd=64, n_head=2, n_positions=32, vocab_size=100)"
BERT = """BertConfig(num_hidden_layers=2, hidden_size=64, num_attention_heads=2,
            intermediate_size=128, max_position_embeddings=32, vocab_size=100)"""
OPT = """OPTConfig(num_hidden_layers=2, hidden_size=64, word_embed_proj_dim=64, ffn_dim=128,
            num_attention_heads=2, max_position_embeddings=32, vocab_size=100)"""


def problem(net: str, output: str = ".logits", top: str = "") -> str:
    return f"""
import sys
import torch
from torch import nn
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM, AutoTokenizer
from transformers import BertConfig, GPT2Config, GPT2LMHeadModel, OPTConfig
{top}
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = {net}
    def forward(self, x):
        return self.net(x){output}
def get_inputs():
    return [torch.randint(0, 100, (2, 16))]
"""


@unittest.skipUnless(
    importlib.util.find_spec("transformers"), "needs transformers: scripts/setup --developer"
)
class Hub(Serving):
    folder: Path
    inputs = (torch.arange(32).reshape(2, 16) * 7 % 100,)

    @classmethod
    def setUpClass(cls) -> None:
        hub.stay_offline()
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)

    def ok(self, source: str) -> tuple[dict[str, Any], bytes]:
        outcome = self.zygote.export(source)
        self.assertIn("ok", outcome.answer, str(outcome.answer)[:500])
        return outcome.answer["ok"], outcome.mlir

    def archive(self, source: str) -> Path:
        outcome = self.zygote.job(WEIGHTS, source)
        self.assertIn("ok", outcome.answer, str(outcome.answer)[:500])
        path = self.folder / "weights.irpa"
        path.write_bytes(outcome.mlir)
        return path

    def eager(self, source: str) -> torch.nn.Module:
        """The model as it is here, its weights drawn from the seed of `archive`."""
        workload = kernelbench.load(source.encode(), "/x/p.py")
        return workload.build(lambda: torch.manual_seed(SEED)).eval()

    def error(self, kind: str, source: str) -> str:
        answer = self.zygote.export(source).answer
        self.assertEqual(answer.get("failed", {}).get("class"), kind, str(answer)[:500])
        error: str = answer["failed"]["error"]
        return error

    def test_a_name_with_a_config(self) -> None:
        for net, output in (
            (f"AutoModelForCausalLM.from_pretrained('gpt2', config={GPT2})", ".logits"),
            (f"AutoModelForCausalLM.from_pretrained('facebook/opt-1.3b', config={OPT})", ".logits"),
            (f"AutoModel.from_pretrained('bert-base-uncased', config={BERT})", ".pooler_output"),
        ):
            with self.subTest(net=net):
                source = problem(net, output)
                _, mlir = self.ok(source)
                (result,) = Compiled(mlir, self.archive(source))(*self.inputs)
                with torch.no_grad():
                    expected = self.eager(source)(*self.inputs)
                self.assertGreater(expected.std().item(), 0.05)
                torch.testing.assert_close(result, expected, rtol=0, atol=1e-5)

    def test_the_options_that_shape_the_model_are_kept(self) -> None:
        options = "device_map='cpu', low_cpu_mem_usage=True, attn_implementation='eager'"
        net = f"GPT2LMHeadModel.from_pretrained('gpt2', config={GPT2}, {options}"
        plain, _ = self.ok(problem(f"{net})"))
        half, mlir = self.ok(problem(f"{net}, dtype=torch.float16)"))
        self.assertEqual(half["parameters"]["bytes"], plain["parameters"]["bytes"] // 2)
        self.assertNotIn(b"scaled_dot_product", mlir)

    def test_a_config_in_a_folder(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            config = {"model_type": "gpt2", "n_layer": 1, "n_embd": 8, "n_head": 2}
            Path(folder, "config.json").write_text(json.dumps({**config, "vocab_size": 100}))
            for net in (
                f"AutoModelForCausalLM.from_pretrained('{folder}', n_positions=32)",
                f"GPT2LMHeadModel.from_pretrained('{folder}', n_positions=32)",
            ):
                ok, mlir = self.ok(problem(net))
                self.assertIn(b'"model"::"net.transformer.wpe.weight"> : tensor<32x8xf32>', mlir)
                self.assertEqual(ok["outputs"], [{"shape": [2, 16, 100], "dtype": "f32"}])

    def test_files_that_were_read_are_named(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "config.json")
            file.write_text(
                json.dumps({"model_type": "gpt2", "n_layer": 1, "n_embd": 8, "n_head": 2})
            )
            for net, top in (
                (f"AutoModelForCausalLM.from_pretrained('{folder}')", ""),
                (
                    "AutoModelForCausalLM.from_config(C)",
                    f"C = AutoConfig.from_pretrained('{folder}')",
                ),
            ):
                with self.subTest(net=net):
                    files = self.ok(problem(net, top=top))[0]["hub_files"]
                    self.assertEqual(len(files), 1)
                    self.assertTrue(f"{folder}/config.json".endswith(files[0]["name"]))
                    self.assertEqual(
                        files[0]["sha256"], hashlib.sha256(file.read_bytes()).hexdigest()
                    )
        ok, _ = self.ok(problem(f"AutoModelForCausalLM.from_config({GPT2})"))
        self.assertNotIn("hub_files", ok)

    def test_a_finding_names_what_it_came_of(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            net = f"AutoModel.from_pretrained('{folder}')"
            missing = [{"name": f"{folder}/config.json", "sha256": "missing"}]
            for job in (EXPORT, WEIGHTS):
                answer = self.zygote.job(job, problem(net)).answer
                self.assertEqual(answer["failed"]["class"], "setup")
                self.assertEqual(answer["hub_files"], missing)
            file = Path(folder, "config.json")
            config = {"model_type": "gpt2", "n_layer": 1, "n_embd": 8, "n_head": 2}
            for content, finding in (
                ({**config, "n_embd": 9}, "failed"),
                ({**config, "quantization_config": {"quant_method": "fp8"}}, "unsupported"),
            ):
                with self.subTest(finding=finding):
                    file.write_text(json.dumps(content))
                    answer = self.zygote.export(problem(net)).answer
                    self.assertIn(finding, answer)
                    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
                    self.assertEqual(answer["hub_files"], [{**missing[0], "sha256": sha256}])
        answer = self.zygote.export(problem("AutoModel.from_pretrained('gpt2')")).answer
        self.assertEqual(answer["hub_files"], [{"name": "gpt2/config.json", "sha256": "missing"}])
        self.assertNotIn("hub_files", self.zygote.export("Model = 1").answer)

    def test_files_of_one_name_are_told_apart(self) -> None:
        with tempfile.TemporaryDirectory() as cache:
            repository = Path(cache, "models--me--net")
            snapshot = repository / "snapshots" / ("0" * 40)
            files = {"config.json": 8, "small/config.json": 4, "widths.json": 2}
            for name, width in files.items():
                (snapshot / name).parent.mkdir(parents=True, exist_ok=True)
                config = {"model_type": "gpt2", "n_layer": 1, "n_embd": width, "n_head": 2}
                (snapshot / name).write_text(json.dumps(config))
            (repository / "refs").mkdir()
            (repository / "refs" / "main").write_text("0" * 40)
            top = f"""
import json
from huggingface_hub import hf_hub_download
def config(**more):
    return AutoConfig.from_pretrained('me/net', cache_dir={cache!r}, **more)
def file(name):
    return hf_hub_download('me/net', name, cache_dir={cache!r})
A, B = config(), config(subfolder='small')
C = json.load(open(file('widths.json')))
"""
            net = "AutoModelForCausalLM.from_config(A if B.n_embd == 4 and C['n_embd'] == 2 else 0)"
            ok, _ = self.ok(problem(net, top=top))
            hashes = {
                f"me/net/{name}": hashlib.sha256((snapshot / name).read_bytes()).hexdigest()
                for name in files
            }
            self.assertEqual({f["name"]: f["sha256"] for f in ok["hub_files"]}, hashes)
            self.assertEqual(len(ok["hub_files"]), 3)
            outcome = self.zygote.export(problem(net, top=f"{top}file('more.json')"))
            self.assertIn("hf download me/net more.json", outcome.answer["failed"]["error"])
            self.assertIn(
                {"name": "me/net/more.json", "sha256": "missing"}, outcome.answer["hub_files"]
            )

    def test_a_folder_that_is_not_there(self) -> None:
        for net in ("AutoModel.from_pretrained('/no/where')", "AutoConfig.from_pretrained('./x')"):
            with self.subTest(net=net):
                error = self.error("setup", problem(net))
                self.assertRegex(error, "^there is no folder '(/no/where|./x)'")

    def test_the_whole_output_with_its_cache(self) -> None:
        ok, _ = self.ok(problem(f"AutoModelForCausalLM.from_config({GPT2})", output=""))
        shapes = [output["shape"] for output in ok["outputs"]]
        self.assertEqual(shapes, [[2, 16, 100], *[[2, 2, 16, 32]] * 4])

    def test_what_only_the_hub_knows_is_named(self) -> None:
        needs = "needs files of 'gpt2' from the Hugging Face hub"
        config = "config = AutoConfig.from_pretrained('gpt2')"
        net = "AutoModel.from_config(config)"
        self.assertIn(
            f"{needs}: the local cache has none", self.error("load", problem(net, top=config))
        )
        for net in (
            "AutoModel.from_pretrained('gpt2')",
            "GPT2LMHeadModel.from_pretrained('gpt2')",
            "AutoTokenizer.from_pretrained('gpt2')",
        ):
            with self.subTest(net=net):
                error = self.error("setup", problem(net))
                self.assertIn(needs, error)
                self.assertIn("hf download gpt2 config.json", error)

    def test_weights_that_are_given_are_not_ignored(self) -> None:
        net = f"GPT2LMHeadModel.from_pretrained(None, config={GPT2}, state_dict={{}})"
        self.assertIn("state_dict", self.error("setup", problem(net)))

    def test_a_quantized_model_is_refused(self) -> None:
        config = GPT2.replace(")", ", quantization_config={'quant_method': 'fp8'})")
        net = f"AutoModel.from_pretrained('gpt2', config={config})"
        self.assertIn("quantized", self.zygote.export(problem(net)).answer["unsupported"]["reason"])


class Names(unittest.TestCase):
    @mock.patch.object(hub_files, "_seen", set())
    def test_long_names_and_many_files(self) -> None:
        for n in range(100):
            hub_files.note_missing(f"{n}{'/folder' * 40}/config.json")
        files = hub_files.seen()
        self.assertEqual(len({each["name"] for each in files}), hub_files.MAX_FILES)
        self.assertTrue(all(len(each["name"]) <= 128 for each in files))
        hub_files.note_missing("100/config.json")
        self.assertNotEqual(files[-1], hub_files.seen()[-1])


class WithoutHub(unittest.TestCase):
    def test_nothing_is_imported_that_the_problem_does_not(self) -> None:
        source = """
import sys, torch
class Model(torch.nn.Module):
    def forward(self, x):
        assert not {"transformers", "huggingface_hub"} & set(sys.modules)
        return x + 1
def get_inputs(): return [torch.rand(3)]
"""
        with Zygote.started() as zygote:
            self.assertIn("ok", zygote.export(source).answer)


if __name__ == "__main__":
    unittest.main()
