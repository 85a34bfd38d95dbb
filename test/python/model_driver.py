# RUN: env PYTHONPATH=%S/../../python python3 %s
"""Tests `fuse_mlir.driver` and the exported files; needs nothing but Python."""

import json
import struct
import unittest
from pathlib import Path

from fuse_mlir import driver

MODELS = Path(__file__).resolve().parents[1] / "models"


class EncodeTest(unittest.TestCase):
    """Rounding to the element types."""

    def test_bf16_rounds_to_nearest_even(self) -> None:
        """A tie goes to the even neighbour, all else to the nearest one."""
        ulp = 2.0**-7
        cases = {
            1.0: 0x3F80,
            1 + ulp / 2: 0x3F80,
            1 + ulp * 3 / 2: 0x3F82,
            1 + ulp * 5 / 8: 0x3F81,
            -2.0: 0xC000,
        }
        got = struct.unpack("<5H", driver.encode(list(cases), "bf16"))
        self.assertEqual(list(got), list(cases.values()))

    def test_other_types_have_their_own_layout(self) -> None:
        """f16, f32 and i64 are little-endian."""
        self.assertEqual(driver.encode([1.0], "f16"), b"\x00\x3c")
        self.assertEqual(driver.encode([1.0], "f32"), b"\x00\x00\x80\x3f")
        self.assertEqual(driver.encode([-2], "i64"), b"\xfe" + b"\xff" * 7)


class DrawTest(unittest.TestCase):
    """Test values of one argument."""

    def test_values_repeat_and_differ_by_seed(self) -> None:
        """The same seed gives the same memory, another one does not."""
        spec = {"shape": [3, 5], "dtype": "f32", "kind": "uniform"}
        spec |= {"lo": -2, "hi": 3}
        first = driver.draw(spec, "a")
        self.assertEqual(first, driver.draw(spec, "a"))
        self.assertNotEqual(first, driver.draw(spec, "b"))
        for value in struct.unpack("<15f", first):
            self.assertTrue(-2 <= value <= 3)

    def test_ints_leave_out_the_upper_bound(self) -> None:
        """`hi` itself is never drawn."""
        spec = {"shape": [99], "dtype": "i64", "kind": "ints", "lo": 0, "hi": 2}
        drawn = struct.unpack("<99q", driver.draw(spec, "a"))
        self.assertEqual(set(drawn), {0, 1})

    def test_first_of_each_row_is_fixed(self) -> None:
        """`first` holds at index 0 of the last dimension only."""
        spec = {"shape": [20, 3], "dtype": "f32", "kind": "choice"}
        spec |= {"values": [-10000], "first": 0}
        drawn = struct.unpack("<60f", driver.draw(spec, "a"))
        self.assertEqual(set(drawn[::3]), {0.0})
        self.assertEqual(set(drawn[1::3] + drawn[2::3]), {-10000.0})

    def test_unknown_kind_is_an_error(self) -> None:
        """The message names the kind and the accepted ones."""
        spec = {"shape": [1], "dtype": "f32", "kind": "normal"}
        with self.assertRaisesRegex(ValueError, "uniform, .* got 'normal'"):
            driver.draw(spec, "a")


class ParseTest(unittest.TestCase):
    """What `printMemrefF32` prints."""

    def test_values_of_each_tensor(self) -> None:
        """Sizes and addresses before `data` are no values."""
        text = (
            "Unranked Memref base@ = 0x1 rank = 2 sizes = [2, 2] data = \n"
            "[[1,    -2.5e-05], \n [nan,   -inf]]\n"
            "Unranked Memref base@ = 0x1 rank = 0 sizes = [] data = \n[7]\n"
        )
        first, second = driver.parse_printed(text)
        self.assertEqual(first[:2], [1, -2.5e-05])
        self.assertNotEqual(first[2], first[2])
        self.assertEqual(first[3], float("-inf"))
        self.assertEqual(second, [7])


class FilesTest(unittest.TestCase):
    """The committed files."""

    def test_json_says_the_types_of_main(self) -> None:
        """Arguments and results agree with the module, in order."""
        paths = sorted(MODELS.glob("*/*.mlir"))
        self.assertGreater(len(paths), 0)
        for path in paths:
            with self.subTest(path=path.name):
                spec = json.loads(path.with_suffix(".json").read_text())
                arguments = ", ".join(
                    f"%arg{index}: {driver.tensor_type(item)}"
                    for index, item in enumerate(spec["inputs"])
                )
                results = ", ".join(map(driver.tensor_type, spec["results"]))
                if len(spec["results"]) > 1:
                    results = f"({results})"
                self.assertEqual(spec["name"], path.stem)
                self.assertIn(
                    f"func.func @main({arguments}) -> {results} {{\n",
                    path.read_text(),
                )

    def test_driver_is_inside_the_module(self) -> None:
        """`@check` comes after `@main` and before the last brace."""
        path = MODELS / "small" / "bert_like_layer_f32.mlir"
        text = driver.with_driver(path)
        self.assertLess(text.index("@main("), text.index("@check("))
        self.assertTrue(text.endswith("}\n"))
        self.assertEqual(text.count("{"), text.count("}"))


if __name__ == "__main__":
    unittest.main()
