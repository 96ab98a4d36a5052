"""Results in the order of the problem's."""

import unittest

from assay_worker.trees import encode_arguments, in_order


class InOrder(unittest.TestCase):
    def test_keys_may_come_in_any_order(self) -> None:
        tree = encode_arguments([{"b": (1, [2]), "a": 3, "c": {}}])["list"][0]
        self.assertEqual(in_order(tree, {"a": 30, "c": {}, "b": [10, (20,)]}), [10, 20, 30])

    def test_what_has_another_shape_is_as_it_is(self) -> None:
        tree = encode_arguments([({"b": 1, "a": 2}, 3)])["list"][0]
        self.assertEqual(in_order(tree, ({"a": 1, "d": 2}, 3)), [1, 2, 3])
        self.assertEqual(in_order(tree, [{"a": 1, "b": 2}]), [1, 2])
        self.assertEqual(in_order(tree, 7), [7])
        self.assertEqual(in_order({"unsupported": "a set"}, {"y": 1, "x": None}), [1, None])
        self.assertEqual(in_order({"leaf": 0}, [5]), [5])


if __name__ == "__main__":
    unittest.main()
