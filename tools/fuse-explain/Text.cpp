// Explanations in words and numbers.
#include "Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::explain;

void explain::printWrapped(StringRef text, raw_ostream &os) {
  size_t column = 0;
  SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    if (column != 0 && column + 1 + word.size() > 80) {
      os << "\n";
      column = 0;
    }
    if (column != 0) {
      os << " ";
      ++column;
    }
    os << word;
    column += word.size();
  }
  os << "\n";
}

static std::string getNs(Quantity value) {
  return value ? std::to_string(*value) + " ns" : "an unknown time";
}

/// `a`, `a and b`, `a, b and 3 more`.
static std::string listKernels(const ExplainedSide &side) {
  std::string text;
  size_t count = side.kernels.size(), shown = count <= 4 ? count : 3;
  for (size_t i = 0; i < shown; ++i) {
    const ExplainedSide::Kernel &kernel = side.kernels[i];
    if (i != 0)
      text += i + 1 == count ? " and " : ", ";
    text += "'" + kernel.name + "' (" + std::to_string(kernel.ops.size()) +
            (kernel.ops.size() == 1 ? " operator, " : " operators, ") +
            getNs(kernel.price.nanoseconds) + ")";
  }
  if (shown < count)
    text += " and " + std::to_string(count - shown) + " more";
  return text;
}

namespace {
/// Builds the paragraph.
class Paragraph {
public:
  Paragraph(const FusionExplanation &why, const PlanOptions &options,
            StringRef first, StringRef second)
      : why(why), options(options), first(first), second(second) {
    fused = why.fused.getNanoseconds();
    apart = why.apart.getNanoseconds();
  }

  std::string build();

private:
  void sayTogether();
  void sayApart();
  void sayRule();
  void sayPrices();
  void sayRange();
  void sayTerm(bool forFusion);
  std::string getDelta(StringRef term) const;

  const FusionExplanation &why;
  const PlanOptions &options;
  StringRef first, second;
  Quantity fused, apart;
  std::string text;
};
} // namespace

std::string Paragraph::build() {
  if (why.together)
    sayTogether();
  else
    sayApart();
  sayRange();
  return std::move(text);
}

/// `memory (30218 ns fused, 60102 ns apart)`.
std::string Paragraph::getDelta(StringRef term) const {
  return llvm::formatv("'{0}' ({1} ns fused, {2} ns apart)", term,
                       std::llround(why.fused.getContribution(term)),
                       std::llround(why.apart.getContribution(term)));
}

/// The term that differs most in favour of, or against, the fusion.
void Paragraph::sayTerm(bool forFusion) {
  StringRef decisive;
  double most = 0;
  for (StringRef term : why.getTermNames()) {
    double saved =
        why.apart.getContribution(term) - why.fused.getContribution(term);
    double favour = forFusion ? saved : -saved;
    if (favour > most) {
      most = favour;
      decisive = term;
    }
  }
  if (decisive.empty())
    return;
  text += (why.rule.rule.empty() ? " The term that decided is "
                                 : " The term that differs most is ") +
          getDelta(decisive) + ".";
}

/// What the two sides cost at other sizes than the assumed ones.
void Paragraph::sayRange() {
  std::optional<PriceRange> one = why.fused.getRange(),
                            two = why.apart.getRange();
  if (!one || !two)
    return;
  text += llvm::formatv(" Sizes are unknown, and these are the prices at "
                        "assumed ones. From an eighth of them to eight times "
                        "as much, one kernel takes {0} to {1} ns, and apart "
                        "they take {2} to {3} ns.",
                        one->low, one->high, two->low, two->high);
}

void Paragraph::sayPrices() {
  std::optional<bool> verdict = options.costModel->getVerdict();
  if (verdict) {
    text += *verdict ? " The cost model fuses whatever is legal."
                     : " The cost model fuses nothing.";
    return;
  }
  if (options.strategy == PlanStrategy::Max)
    text += " The strategy 'max' fuses whatever is legal.";
}

void Paragraph::sayTogether() {
  text = (first + " and " + second + " share the kernel '" +
          why.fused.kernels.front().name + "' of " +
          Twine(why.fused.kernels.front().ops.size()) +
          " operators, which takes " + getNs(fused) +
          "; cut between the two, it would be " + listKernels(why.apart) +
          ", " + getNs(apart) + " together.")
             .str();
  if (why.decision && why.decision->kind == DecisionKind::MustFuse)
    text += " They were asked to: 'fuse.must_fuse'.";
  sayPrices();
  if (!fused || !apart)
    return;
  if (*fused <= *apart) {
    sayTerm(/*forFusion=*/true);
    text += " It would not pay if the one kernel took " +
            getNs(*apart - *fused) + " more.";
    return;
  }
  sayTerm(/*forFusion=*/false);
  text += " By prices alone it does not pay: apart they would take " +
          getNs(*fused - *apart) + " less.";
}

void Paragraph::sayRule() {
  text +=
      " The rule '" + why.rule.rule + "' decided: " + why.rule.message + ".";
  StringRef advice = getRuleAdvice(why.rule.rule);
  if (!advice.empty())
    text += (" For a fusion, " + advice + ".").str();
}

void Paragraph::sayApart() {
  text = (first + " and " + second + " do not share a kernel: " +
          listKernels(why.apart) + ", " + getNs(apart) + " together.")
             .str();
  if (!why.between.empty())
    text += " " + std::to_string(why.between.size()) +
            " operator(s) between them would have to come along.";
  if (!why.rule.rule.empty())
    sayRule();
  if (why.fused.kernels.empty())
    return;
  text += (why.rule.rule.empty() ? " One kernel would take "
                                 : " If it were possible, one kernel would "
                                   "take ") +
          getNs(fused) + ".";
  sayPrices();
  if (!fused || !apart) {
    if (why.rule.rule.empty())
      text += " What has no price is not fused; the model would have to know "
              "it.";
    return;
  }
  if (*fused < *apart) {
    sayTerm(/*forFusion=*/true);
    if (!why.rule.rule.empty() || options.costModel->getVerdict())
      return;
    text += options.strategy == PlanStrategy::None
                ? " The strategy 'none' fuses nothing."
                : " It would pay now, but the search took other fusions first "
                  "or was not allowed this kind; 'fuse.must_fuse' asks for it.";
    return;
  }
  sayTerm(/*forFusion=*/false);
  text += " To pay, the one kernel would have to take at least " +
          getNs(*fused - *apart + 1) + " less.";
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

namespace {
/// Rows of numbers, a column for each kernel and side.
class Table {
public:
  Table(const FusionExplanation &why, raw_ostream &os) : why(why), os(os) {}

  void print();

private:
  void printHead();
  void printTerms();
  void printFactors();
  void printFacts();
  void printNotes();
  /// Calls `print` for each kernel, the fused one first.
  void forEachKernel(function_ref<void(const CostBreakdown *)> print);

  const FusionExplanation &why;
  raw_ostream &os;
};
} // namespace

void Table::forEachKernel(function_ref<void(const CostBreakdown *)> print) {
  print(why.fused.kernels.empty() ? nullptr : &why.fused.kernels.front().price);
  for (const ExplainedSide::Kernel &kernel : why.apart.kernels)
    print(&kernel.price);
}

static std::string formatNumber(double value) {
  if (value == std::floor(value))
    return std::to_string(int64_t(value));
  return llvm::formatv("{0:f2}", value);
}

void Table::printHead() {
  os << llvm::formatv("{0,-12} {1,14} {2,14}", "ns", "fused", "apart");
  for (const ExplainedSide::Kernel &kernel : why.apart.kernels)
    os << llvm::formatv(" {0,24}", kernel.name);
  os << "\n";
}

void Table::printTerms() {
  auto printRow = [&](StringRef name,
                      function_ref<std::string(const ExplainedSide &)> sum,
                      function_ref<std::string(const CostBreakdown &)> one) {
    os << llvm::formatv("{0,-12} {1,14} {2,14}", name, sum(why.fused),
                        sum(why.apart));
    for (const ExplainedSide::Kernel &kernel : why.apart.kernels)
      os << llvm::formatv(" {0,24}", one(kernel.price));
    os << "\n";
  };
  for (StringRef term : why.getTermNames())
    printRow(
        term,
        [&](const ExplainedSide &side) {
          if (side.kernels.empty())
            return std::string("-");
          return std::to_string(std::llround(side.getContribution(term)));
        },
        [&](const CostBreakdown &price) {
          for (const CostBreakdown::Contribution &part :
               price.getContributions())
            if (part.name == term)
              return std::to_string(std::llround(part.nanoseconds));
          return std::string("0");
        });
  auto orDash = [](Quantity value) {
    return value ? std::to_string(*value) : std::string("-");
  };
  printRow(
      "total",
      [&](const ExplainedSide &side) {
        return side.kernels.empty() ? "-" : orDash(side.getNanoseconds());
      },
      [&](const CostBreakdown &price) { return orDash(price.nanoseconds); });
}

/// Factors and facts: no sums, so the column `apart` is left out.
void Table::printFactors() {
  SmallVector<StringRef> names;
  forEachKernel([&](const CostBreakdown *price) {
    for (const CostTerm &term : price ? price->terms : std::vector<CostTerm>())
      if (term.role == TermRole::Factor &&
          !llvm::is_contained(names, StringRef(term.name)))
        names.push_back(price->findTerm(term.name)->name);
  });
  for (StringRef name : names) {
    os << llvm::formatv("{0,-12}", name);
    bool isFirst = true;
    forEachKernel([&](const CostBreakdown *price) {
      const CostTerm *term = price ? price->findTerm(name) : nullptr;
      std::string text = term ? "x " + formatNumber(term->value) : "-";
      if (isFirst)
        os << llvm::formatv(" {0,14} {1,14}", text, "");
      else
        os << llvm::formatv(" {0,24}", text);
      isFirst = false;
    });
    os << "\n";
  }
}

void Table::printFacts() {
  SmallVector<const CostFact *> rows;
  forEachKernel([&](const CostBreakdown *price) {
    if (!price)
      return;
    for (const CostFact &fact : price->facts)
      if (llvm::none_of(rows, [&](const CostFact *row) {
            return row->name == fact.name;
          }))
        rows.push_back(&fact);
  });
  for (const CostFact *row : rows) {
    os << llvm::formatv("{0,-12}", row->name);
    bool isFirst = true;
    forEachKernel([&](const CostBreakdown *price) {
      std::string text = "-";
      if (price)
        for (const CostFact &fact : price->facts)
          if (fact.name == row->name)
            text = formatNumber(fact.value);
      if (isFirst)
        os << llvm::formatv(" {0,14} {1,14}", text, "");
      else
        os << llvm::formatv(" {0,24}", text);
      isFirst = false;
    });
    os << "  " << row->unit << "\n";
  }
}

void Table::printNotes() {
  auto print = [&](StringRef name, const CostBreakdown &price) {
    for (const std::string &note : price.notes)
      os << name << ": " << note << "\n";
  };
  for (const ExplainedSide *side : {&why.fused, &why.apart})
    for (const ExplainedSide::Kernel &kernel : side->kernels)
      print(kernel.name, kernel.price);
}

void Table::print() {
  printHead();
  printTerms();
  printFactors();
  printFacts();
  printNotes();
}

void explain::printExplanation(const FusionExplanation &explanation,
                               const PlanOptions &options, StringRef firstName,
                               StringRef secondName, raw_ostream &os) {
  printWrapped(Paragraph(explanation, options, firstName, secondName).build(),
               os);
  os << "\n";
  Table(explanation, os).print();
}
