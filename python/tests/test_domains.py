"""Which values inputs may have, as a file says it."""

from typing import Any

import torch
from judging import judged
from serving import memory
from test_export import problem
from test_oracle import Asked

ALLOWED = 'give "free", "mask", "constant", {"index": N}'


def source(inputs: str, domains: str, before: str = "") -> str:
    return problem(
        "return torch.ones(1)",
        inputs=f"def get_inputs():\n    {before}\n    return {inputs}\n"
        f"def get_input_domains():\n    return {domains}\n",
    )


class Said(Asked):
    def said(self, inputs: str, domains: str, before: str = "") -> Any:
        return self.described(source(inputs, domains, before))["domains"]

    def test_a_file_that_says_nothing(self) -> None:
        silent = problem("return x", inputs="def get_inputs():\n    return [torch.ones(4)]")
        self.assertNotIn("domains", self.described(silent))

    def test_each_domain(self) -> None:
        graph = {"domain": "graph", "nodes": 7, "undirected": False}
        loose, strict = {"self_loops": True, "duplicates": True}, {"self_loops": False}
        for inputs, domains, told in (
            ("[torch.rand(4)]", '["free"]', {"domain": "free"}),
            ("[torch.rand(4)]", "[None]", None),
            ("[3]", "[None]", None),
            ("[torch.rand(4)]", '("constant",)', {"domain": "constant"}),
            ("[torch.ones(2, 4)]", '["mask"]', {"domain": "mask", "shown": 1}),
            ("[torch.rand(4) > 0.5]", '[{"mask": {"shown": 0}}]', {"domain": "mask", "shown": 0}),
            ("[torch.randint(0, 9, (4,))]", '[{"index": 9}]', {"domain": "index", "below": 9}),
            ("[torch.arange(4).int()]", '[{"index": 4}]', {"domain": "index", "below": 4}),
            (
                "[torch.randint(0, 7, (2, 5))]",
                '[{"graph": {"nodes": 7}}]',
                {**graph, **loose},
            ),
            (
                "[torch.randint(0, 7, (2, 6))]",
                '[{"graph": {"nodes": 7, "undirected": True, "self_loops": False}}]',
                {**graph, **loose, **strict, "undirected": True},
            ),
        ):
            with self.subTest(inputs=inputs, domains=domains):
                self.assertEqual(self.said(inputs, domains), [told])

    def test_nested_inputs_are_counted_in_their_order(self) -> None:
        inputs = "[torch.rand(4), [torch.ones(3, dtype=torch.bool), 2], {'a': torch.arange(3)}]"
        found = self.said(inputs, '["free", "mask", None, {"index": 3}]')
        self.assertEqual(
            [each and each["domain"] for each in found], ["free", "mask", None, "index"]
        )

    def test_what_cannot_be(self) -> None:
        rand, indices = "[torch.rand(4)]", "[torch.randint(0, 9, (4,))]"
        five = "[torch.randint(0, 7, (2, 5))]"
        for inputs, domains, error in (
            (rand, "3", "gave int, not a list: one entry per input"),
            (rand, '["free"] * 2', "gave 2 entries for 1 input: one per input"),
            (rand, '["fre"]', f"`get_input_domains()[0]` is 'fre': {ALLOWED}"),
            (rand, '["index"]', ALLOWED),
            (rand, '[{"index": 0}]', ALLOWED),
            (rand, '[{"index": True}]', ALLOWED),
            (rand, '[{"index": 3, "mask": {}}]', ALLOWED),
            (rand, '[{"mask": 1}]', ALLOWED),
            (rand, '[{"mask": {"shown": 2}}]', ALLOWED),
            (rand, '[{"graph": {}}]', ALLOWED),
            (rand, '[{"graph": {"nodes": 3, "loops": False}}]', ALLOWED),
            (rand, '[{("a",): 3}]', ALLOWED),
            (rand, '[{"index": 3}]', "input 0 is torch.float32: an index is of whole numbers"),
            ("[torch.ones(4, dtype=torch.uint8)]", '[{"index": 999}]', "holds none up to 998"),
            ("[3]", '["free"]', "input 0 is no tensor: `get_input_domains()[0]` is to be None"),
            (indices, '[{"index": 4}]', "an index below 4, and goes from 0 to 8"),
            (rand, '["mask"]', "input 0 is said to be a mask of 0 and 1, and has fractions"),
            (indices, '["mask"]', "a mask of 0 and 1, and goes from 0 to 8"),
            (
                rand,
                '[{"graph": {"nodes": 7}}]',
                "input 0 is torch.float32[4]: a graph is its edges",
            ),
            ("[torch.arange(6)]", '[{"graph": {"nodes": 7}}]', "torch.int64[6]: a graph is its"),
            (five, '[{"graph": {"nodes": 7, "undirected": True}}]', "has 5 edges: an undirected"),
            (five, '[{"graph": {"nodes": 1, "self_loops": False}}]', "a graph of one node"),
            (five, '[{"graph": {"nodes": 2, "duplicates": False}}]', "2 nodes have 4 without"),
            (rand, "1 / 0", "ZeroDivisionError: division by zero (problem.py:"),
        ):
            with self.subTest(inputs=inputs, domains=domains):
                self.assertIn(error, self.failed(source(inputs, domains)))

    def failed(self, text: str) -> str:
        request = {"do": "describe", "path": "/x/problem.py", "mode": "eval", "precision": "f32"}
        with self.oracle.conversation() as conversation, memory(text) as file:
            answer = conversation.ask(request, file)
            conversation.ask({"do": "end"})
        self.assertEqual(answer["failed"]["class"], "load", answer)
        error: str = answer["failed"]["error"]
        return error

    def test_a_random_graph_keeps_the_number_of_edges_that_it_is_described_with(self) -> None:
        edges = "edges = (torch.rand(20, 20) < 0.2).nonzero().t().contiguous()"
        text = source("[torch.rand(20, 3), edges]", '["free", {"graph": {"nodes": 20}}]', edges)
        shapes = [self.described(text)["inputs"][1]["shape"] for _ in range(2)]
        self.assertEqual(shapes[0], shapes[1])
        with self.built(text) as judge:
            # Others draw it: it has no place.
            judge.inputs[1] = None  # type: ignore[call-overload]
            for seed in range(3):
                self.assertIn("drawn", judge.draw(seed=seed))

    def test_a_constant_is_the_same_under_all_seeds(self) -> None:
        text = source("[torch.randn(9), torch.randn(9).cumsum(0)]", '["constant", "free"]')
        drawn = []
        with self.built(text) as judge:
            judge.inputs[0]["constant"] = True
            for seed in range(2):
                self.assertIn("drawn", judge.draw(seed=seed))
                block = judge.blocks["inputs"]
                drawn.append([block.tensor(leaf).clone() for leaf in judge.inputs])
            self.assertEqual(judge.draw(numbers=[2.0])["drawn"]["from"][0], None)
            self.assertTrue(torch.equal(block.tensor(judge.inputs[0]), drawn[0][0]))
        self.assertTrue(torch.equal(drawn[0][0], drawn[1][0]))
        self.assertFalse(torch.equal(drawn[0][1], drawn[1][1]))
        torch.manual_seed(42)
        self.assertTrue(torch.equal(drawn[0][0], torch.randn(9)))

    def test_values_that_are_not_what_the_file_says(self) -> None:
        for inputs, domains, error in (
            ("[torch.tensor([0, 9])]", '[{"index": 9}]', "an index below 9, and goes from 0 to 9"),
            ("[torch.tensor([0.0, 1.5])]", '["mask"]', "a mask of 0 and 1, and has fractions"),
            ("[torch.tensor([0.0, 2.0])]", '["mask"]', "goes from 0 to 2"),
            ("[torch.tensor([1.0, float('inf')])]", '["mask"]', "has fractions"),
        ):
            with self.subTest(inputs=inputs), self.built(source(inputs, domains)) as judge:
                answer = judge.draw()
                self.assertEqual(answer["failed"]["class"], "load", answer)
                self.assertIn(error, answer["failed"]["error"])
        inputs = "[torch.tensor([0, 1]), torch.zeros(0), torch.rand(9) > 0.5]"
        good = source(inputs, '[{"index": 2}, "mask", "mask"]')
        with judged(self.oracle, good) as judge:
            judge.build()
            self.assertIn("drawn", judge.draw())
