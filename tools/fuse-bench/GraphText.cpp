// Operators as text; see GraphText.h.
#include "GraphText.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fuse::bench;
using llvm::formatv;

SmallVector<TextTensor> GraphText::generic(ArrayRef<TextTensor> operands,
                                           SmallVector<TextTensor> results,
                                           ArrayRef<std::string> inits,
                                           StringRef body) {
  SmallVector<std::string> maps, names, parameters, yields, outs;
  std::string widen, narrow;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    maps.push_back(getMap(operand.kind).str());
    names.push_back(operand.name);
    bool narrowed = operand.element != "f32";
    parameters.push_back(
        formatv(narrowed ? "%s{0}: {1}" : "%x{0}: {1}", i, operand.element));
    if (narrowed)
      widen += formatv("%x{0} = arith.extf %s{0} : {1} to f32\n", i,
                       operand.element);
  }
  std::string name = fresh();
  for (auto [i, result] : llvm::enumerate(results)) {
    std::string init = fresh();
    text += formatv("{0} = tensor.empty() : {1}\n", init, type(result));
    if (!inits.empty()) {
      std::string value = fresh(), filled = fresh();
      text +=
          formatv("{0} = arith.constant {1} : {2}\n{3} = linalg.fill ins({0} "
                  ": {2}) outs({4} : {5}) -> {5}\n",
                  value, inits[i], result.element, filled, init, type(result));
      init = filled;
    }
    outs.push_back(init);
    maps.push_back(getMap(result.kind).str());
    parameters.push_back(formatv("%o{0}: {1}", i, result.element));
    std::string yielded =
        results.size() == 1 ? std::string("%r") : "%r" + std::to_string(i);
    if (result.element == "bf16" || result.element == "f16") {
      narrow += formatv("%y{0} = arith.truncf {1} : f32 to {2}\n", i, yielded,
                        result.element);
      yielded = "%y" + std::to_string(i);
    }
    yields.push_back(yielded);
    result.name = results.size() == 1 ? name : name + "#" + std::to_string(i);
  }
  Extent kept = results.front().kind;
  text += formatv(
      "{0} = linalg.generic {{indexing_maps = [{1}], iterator_types = "
      "[\"{2}\", "
      "\"{3}\"]} ins({4} : {5}) outs({6} : {7}) {{\n^bb0({8}):\n{9}{10}\n{11}",
      results.size() == 1 ? name : name + ":" + std::to_string(results.size()),
      llvm::join(maps, ", "), kept == Extent::Column ? "reduction" : "parallel",
      kept == Extent::Row ? "reduction" : "parallel", llvm::join(names, ", "),
      joinTypes(operands), llvm::join(outs, ", "), joinTypes(results),
      llvm::join(parameters, ", "), widen, body, narrow);
  text += formatv(
      "linalg.yield {0} : {1}\n} -> ({2})\n", llvm::join(yields, ", "),
      llvm::join(llvm::map_range(results,
                                 [](const TextTensor &t) { return t.element; }),
                 ", "),
      joinTypes(results));
  return results;
}

std::string GraphText::finish(ArrayRef<TextTensor> results) {
  SmallVector<std::string> parameters, names;
  for (const TextTensor &argument : arguments)
    parameters.push_back(argument.name + ": " + type(argument));
  for (const TextTensor &result : results)
    names.push_back(result.name);
  return formatv("func.func @main({0}) -> ({1}) {{\n{2}return {3} : {1}\n}\n",
                 llvm::join(parameters, ", "), joinTypes(results), text,
                 llvm::join(names, ", "))
      .str();
}
