"""Weights as hubs have them, under older names and in other pieces than models have today."""

import importlib.util
import re
import runpy
import unittest
from pathlib import Path
from typing import Any

import torch
from judging import judged
from serving import Zygote
from test_loaded_weights import Files, written
from torch import Tensor, nn

from assay_worker import loaded_weights

MODELS = Path(__file__).resolve().parent.parent.parent / "models"
# In which a network of the zoo is one of transformers'.
OF_TRANSFORMERS = ("bert", "deepseek", "gpt2", "llama", "mamba", "moe", "vit", "whisper")
EXPERTS = 11  # the order of their numbers is not that of their names
HIDDEN, WIDE = 8, 16

State = dict[str, Tensor]


def network(name: str) -> nn.Module:
    """Of the zoo, its weights drawn anew."""
    model: nn.Module = runpy.run_path(str(MODELS / f"{name}.py"))["Model"]().eval()
    return drawn(model)


def drawn(model: nn.Module) -> nn.Module:
    """With other values than a second one: scales and shifts, too."""
    with torch.no_grad():
        for each in model.parameters():
            each.copy_(torch.randn(each.shape) / 4)
    return model


def once(model: nn.Module) -> State:
    """The state as a file has it: tied tensors are there once."""
    seen: dict[int, str] = {}
    state = model.state_dict(keep_vars=True)
    for name, tensor in state.items():
        seen.setdefault(id(tensor), name)
    return {name: state[name].detach() for name in seen.values()}


def ids() -> Tensor:
    return torch.arange(12).reshape(2, 6)


def of_bert(state: State) -> State:
    """As Google's first checkpoints were converted."""
    names = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    return {
        re.sub("|".join(names), lambda found: names[found[0]], name): tensor
        for name, tensor in state.items()
    }


def of_mixtral(state: State) -> State:
    """Each expert by itself, w1 and w3 being the halves of what is one tensor today."""
    given: State = {}
    for name, tensor in state.items():
        before, is_there, what = name.replace(".mlp.", ".block_sparse_moe.").partition("experts.")
        if not is_there:
            given[before] = tensor
            continue
        for n, expert in enumerate(tensor):
            parts = {"w2": expert}
            if what == "gate_up_proj":
                parts = dict(zip(("w1", "w3"), expert.chunk(2), strict=True))
            for each, part in parts.items():
                given[f"{before}experts.{n}.{each}.weight"] = part.contiguous()
    return given


def bert(kind: str) -> nn.Module:
    import transformers

    config = transformers.BertConfig(
        vocab_size=12,
        hidden_size=HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=WIDE,
        max_position_embeddings=12,
    )
    return drawn(getattr(transformers, kind)(config).eval())


def mixtral(experts: int = EXPERTS) -> nn.Module:
    from transformers import MixtralConfig, MixtralForCausalLM

    config = MixtralConfig(
        vocab_size=12,
        hidden_size=HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        intermediate_size=WIDE,
        num_local_experts=experts,
        max_position_embeddings=12,
        experts_implementation="batched_mm",
    )
    return drawn(MixtralForCausalLM(config).eval())


class Wrapped(nn.Module):  # type: ignore[misc]
    """A model of transformers in another, as problems have it."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model


@unittest.skipUnless(
    importlib.util.find_spec("transformers"), "needs transformers: scripts/setup --developer"
)
class HubNames(Files):
    @classmethod
    def setUpClass(cls) -> None:
        from transformers.utils import logging

        logging.disable_progress_bar()

    def setUp(self) -> None:
        super().setUp()
        torch.manual_seed(0)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def same(self, loaded: nn.Module, wanted: nn.Module, *files: State) -> None:
        """The first computes as the second once it has these files."""
        self.assertFalse(torch.equal(loaded(ids())[0], wanted(ids())[0]))
        around = Wrapped(loaded)
        loaded_weights.load(around, self.weights(*map(written, files)))
        self.assertTrue(torch.equal(loaded(ids())[0], wanted(ids())[0]))

    def test_older_names_with_heads_that_the_model_lacks(self) -> None:
        whole = bert("BertForPreTraining")
        inner: Any = bert("BertModel")
        inner.pooler = None  # as the network of the zoo
        self.same(inner, whole.bert, of_bert(once(whole)))

    def test_older_names_without_the_module_that_the_model_has(self) -> None:
        whole: Any = bert("BertForMaskedLM")
        named = {name.removeprefix("bert."): each for name, each in once(whole).items()}
        self.same(bert("BertForMaskedLM"), whole, of_bert(named))

    def test_experts_by_themselves(self) -> None:
        whole = mixtral()
        state = of_mixtral(once(whole))
        self.assertIn("model.layers.1.block_sparse_moe.experts.10.w2.weight", state)
        self.same(mixtral(), whole, state)
        shards: list[State] = [{}, {}, {}]
        for n, name in enumerate(state):
            shards[n % 3][name] = state[name]
        self.same(mixtral(), whole, *shards)

    def test_names_of_today(self) -> None:
        whole = mixtral()
        self.same(mixtral(), whole, once(whole))

    def test_what_transformers_saves_of_each_network(self) -> None:
        for name in OF_TRANSFORMERS:
            with self.subTest(network=name):
                saved, loaded = network(name), network(name)
                folder = self.folder / name
                saved.model.save_pretrained(folder)
                files = [each.name for each in folder.glob("*.safetensors")]
                loaded_weights.load(loaded, {"folder": str(folder), "files": files})
                got, wanted = loaded.state_dict(), saved.state_dict()
                for each in wanted:
                    self.assertTrue(torch.equal(got[each], wanted[each]), each)

    def test_what_is_missing_is_named(self) -> None:
        state = of_bert(once(bert("BertForPreTraining")))
        layer = "encoder.layer.0.output.LayerNorm"
        del state[f"bert.{layer}.gamma"]
        self.assertEqual(
            self.refused(Wrapped(bert("BertModel")), written(state)),
            f"the weights have no 'model.{layer}.weight' [{HIDDEN}]",
        )
        state = of_mixtral(once(mixtral()))
        moe = "model.layers.1.block_sparse_moe"
        for gone in ("w3", "w[123]"):
            self.assertEqual(
                self.refused(mixtral(), written(without(state, f"{moe}.experts.3.{gone}."))),
                f"the weights have no '{moe}.experts.3.{'w3' if gone == 'w3' else 'w1'}.weight' "
                f"beside '{moe}.experts.0.w1.weight'",
            )
        self.assertEqual(
            self.refused(mixtral(), written(without(state, f"{moe}.experts..*.w2"))),
            "the weights have no 'model.layers.1.mlp.experts.down_proj' "
            f"[{EXPERTS}, {HIDDEN}, {WIDE}]",
        )
        self.assertRegex(
            self.refused(mixtral(), written(without(state, f"{moe}.experts..*.w3"))),
            f"'{moe}.experts.0.w1.weight' and 10 more in the weights do not make the model's "
            "'model.layers.1.mlp.experts.gate_up_proj'",
        )

    def test_other_shapes_are_named(self) -> None:
        state = of_mixtral(once(mixtral()))
        moe = "model.layers.0.block_sparse_moe"
        gates = {name: torch.ones(12, HIDDEN) for name in state if name.endswith("gate.weight")}
        self.assertEqual(
            self.refused(mixtral(experts=12), written(state | gates)),
            f"the weights have '{moe}.experts.0.w1.weight' and 21 more (converted) as "
            f"[{EXPERTS}, {2 * WIDE}, {HIDDEN}], and the model's "
            f"'model.layers.0.mlp.experts.gate_up_proj' is [12, {2 * WIDE}, {HIDDEN}]: give it "
            "the sizes that they were made for",
        )
        other = state | {f"{moe}.experts.4.w2.weight": torch.ones(1, WIDE)}
        self.assertRegex(
            self.refused(mixtral(), written(other)),
            f"'{moe}.experts.0.w2.weight' and 10 more in the weights do not make the model's "
            "'model.layers.0.mlp.experts.down_proj': .*equal size",
        )

    def test_what_is_there_twice_is_told(self) -> None:
        state = once(bert("BertModel"))
        both = {f"bert.{each}": tensor for each, tensor in (state | of_bert(state)).items()}
        name = "embeddings.LayerNorm"
        self.assertEqual(
            self.refused(bert("BertModel"), written(both)),
            f"the weights have the model's '{name}.bias' twice: as 'bert.{name}.beta' and as "
            f"'bert.{name}.bias'",
        )

    def test_of_several_models_none_is_understood(self) -> None:
        state = once(bert("BertModel"))
        two = nn.ModuleDict({"one": bert("BertModel"), "other": bert("BertModel")})
        loaded_weights.load(two, self.weights(written(once(two))))
        self.assertIn(
            "have no 'one.embeddings.LayerNorm", self.refused(two, written(of_bert(state)))
        )

    def test_a_worker_loads_them(self) -> None:
        source = (MODELS / "moe.py").read_text()
        state = of_mixtral(once(network("moe").model))
        weights = self.weights(written(state))
        with (
            Zygote.started("oracle") as oracle,
            judged(oracle, source, weights=weights) as judge,
        ):
            self.assertIn("built", judge.build(loaded=True))
            gone = "model.layers.0.block_sparse_moe.experts.2.w3.weight"
            self.weights(written(without(state, gone)))
            failed = judge.build(loaded=True)["failed"]
            self.assertEqual(failed["class"], "setup")
            self.assertIn(f"the weights have no '{gone}'", failed["error"])


def without(state: State, pattern: str) -> State:
    return {name: each for name, each in state.items() if not re.search(pattern, name)}


if __name__ == "__main__":
    unittest.main()
