//===- Interpreter.cpp - Runs the oracle's program ------------------------===//
#include "runtime/plan/Verify.h"
#include "runtime/reference/Ops.h"

namespace heddle::runtime::reference {

std::string shapeText(const Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

int64_t elementCount(const Shape &shape) { return elementsOf(shape); }

Shape stridesOf(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

Status Context::wantOperands(size_t least, size_t most) const {
  if (operands.size() >= least && operands.size() <= most)
    return Status::ok();
  std::string wanted = std::to_string(least) + (most > least ? " to " + std::to_string(most) : "");
  return invalidInput("operands: wanted " + wanted + ", found " + std::to_string(operands.size()));
}

Status Context::wantRank(size_t operand, int64_t least) const {
  auto rank = static_cast<int64_t>(operandShape(operand).size());
  if (rank >= least)
    return Status::ok();
  return invalidInput("operand " + std::to_string(operand) + ": wanted a rank of at least " +
                      std::to_string(least) + ", found " + shapeText(operandShape(operand)));
}

Status Context::wantShape(const std::string &what, const Shape &found, const Shape &wanted) const {
  if (found == wanted)
    return Status::ok();
  return invalidInput(what + ": wanted shape " + shapeText(wanted) + ", found " + shapeText(found));
}

namespace {
template <typename Map>
auto lookUp(const Map &map, const std::string &name) -> StatusOr<typename Map::mapped_type> {
  auto found = map.find(name);
  if (found == map.end())
    return invalidInput("attribute \"" + name + "\" is missing");
  return found->second;
}
} // namespace

StatusOr<std::vector<int64_t>> Context::ints(const std::string &name) const {
  return lookUp(operation.ints, name);
}

StatusOr<int64_t> Context::integer(const std::string &name) const {
  HEDDLE_ASSIGN_OR_RETURN(std::vector<int64_t> values, ints(name));
  if (values.size() != 1)
    return invalidInput("attribute \"" + name + "\": wanted one number, found " +
                        std::to_string(values.size()));
  return values[0];
}

int64_t Context::integerOr(const std::string &name, int64_t value) const {
  auto found = operation.ints.find(name);
  return found == operation.ints.end() || found->second.empty() ? value : found->second[0];
}

StatusOr<double> Context::real(const std::string &name) const { return lookUp(operation.floats, name); }
StatusOr<std::string> Context::string(const std::string &name) const {
  return lookUp(operation.strings, name);
}

std::string Context::stringOr(const std::string &name, const std::string &value) const {
  auto found = operation.strings.find(name);
  return found == operation.strings.end() ? value : found->second;
}

StatusOr<int64_t> Context::axis(int64_t rank) const {
  HEDDLE_ASSIGN_OR_RETURN(int64_t axis, integer("axis"));
  int64_t counted = axis < 0 ? axis + rank : axis;
  if (counted < 0 || counted >= rank)
    return invalidInput("axis " + std::to_string(axis) + " is outside a rank of " + std::to_string(rank));
  return counted;
}

//===----------------------------------------------------------------------===//
// execute
//===----------------------------------------------------------------------===//

namespace {

const Handlers &allHandlers() {
  static const Handlers handlers = [] {
    Handlers table;
    addElementwise(table);
    addNormalize(table);
    addLoss(table);
    addViews(table);
    addMatmul(table);
    addAttention(table);
    addAttentionGrad(table);
    return table;
  }();
  return handlers;
}

class Interpreter {
public:
  Interpreter(const Program &program, int threads)
      : program(program), pool(threads), tensors(program.values.size()),
        defined(program.values.size(), false) {}

  Status run(const std::map<std::string, Tensor> &inputs, const ParameterReader &parameters) {
    HEDDLE_RETURN_IF_ERROR(findLastUses());
    HEDDLE_RETURN_IF_ERROR(setInputs(inputs));
    HEDDLE_RETURN_IF_ERROR(setConstants());
    HEDDLE_RETURN_IF_ERROR(readParameters(parameters));
    for (size_t i = 0; i < program.operations.size(); ++i) {
      const Operation &operation = program.operations[i];
      HEDDLE_RETURN_IF_ERROR(runOperation(operation).with(nameOf(operation, i)));
      release(static_cast<int64_t>(i));
    }
    return Status::ok();
  }

  StatusOr<std::map<std::string, Tensor>> outputs() {
    std::map<std::string, Tensor> results;
    for (auto &[name, value] : program.outputs) {
      if (!defined[static_cast<size_t>(value)])
        return invalidInput("output " + name + " is computed by no operation");
      results[name] = tensors[static_cast<size_t>(value)];
    }
    return results;
  }

private:
  bool isValue(int32_t value) const {
    return value >= 0 && static_cast<size_t>(value) < program.values.size();
  }

  Status checkValue(const std::string &what, int32_t value) const {
    if (!isValue(value))
      return invalidInput(what + ": wanted a value below " + std::to_string(program.values.size()) +
                          ", found " + std::to_string(value));
    if (elementCount(program.values[static_cast<size_t>(value)].shape) < 0)
      return invalidInput(what + ": shape " + shapeText(program.values[static_cast<size_t>(value)].shape) +
                          " is negative or too large");
    return Status::ok();
  }

  static std::string nameOf(const Operation &operation, size_t index) {
    return "operation " + std::to_string(index) + " (" + operation.name + ")" +
           (operation.location.empty() ? "" : " at " + operation.location);
  }

  Status checkResults(const Operation &operation) const {
    auto found = allHandlers().find(operation.name);
    if (found == allHandlers().end())
      return invalidInput("the reference does not know this operation");
    const Handler &handler = found->second;
    std::string wanted = handler.mostResults == 1 ? "one result"
                                                  : std::to_string(handler.leastResults) + " to " +
                                                        std::to_string(handler.mostResults) + " results";
    if (size_t count = operation.results.size(); count < handler.leastResults || count > handler.mostResults)
      return invalidInput("wanted " + wanted + ", found " + std::to_string(count));
    for (int32_t value : operation.results)
      HEDDLE_RETURN_IF_ERROR(checkValue("result", value));
    return Status::ok();
  }

  /// A tensor is freed after the last operation that reads it; outputs are kept.
  Status findLastUses() {
    lastUse.assign(program.values.size(), -1);
    for (size_t i = 0; i < program.operations.size(); ++i) {
      const Operation &operation = program.operations[i];
      std::string context = nameOf(operation, i);
      for (int32_t value : operation.operands) {
        HEDDLE_RETURN_IF_ERROR(checkValue("operand", value).with(context));
        lastUse[static_cast<size_t>(value)] = static_cast<int64_t>(i);
      }
      HEDDLE_RETURN_IF_ERROR(checkResults(operation).with(context));
    }
    for (auto &[name, value] : program.outputs) {
      HEDDLE_RETURN_IF_ERROR(checkValue("output " + name, value));
      lastUse[static_cast<size_t>(value)] = static_cast<int64_t>(program.operations.size());
    }
    return Status::ok();
  }

  Status define(const std::string &what, int32_t value, Tensor tensor) {
    HEDDLE_RETURN_IF_ERROR(checkValue(what, value));
    const Shape &shape = program.values[static_cast<size_t>(value)].shape;
    if (static_cast<int64_t>(tensor.size()) != elementCount(shape))
      return invalidInput(what + ": shape " + shapeText(shape) + " wants " +
                          std::to_string(elementCount(shape)) + " elements, found " +
                          std::to_string(tensor.size()));
    tensors[static_cast<size_t>(value)] = std::move(tensor);
    defined[static_cast<size_t>(value)] = true;
    return Status::ok();
  }

  Status setInputs(const std::map<std::string, Tensor> &inputs) {
    std::string known;
    for (auto &[name, value] : program.inputs) {
      known.append(known.empty() ? "" : ", ").append(name);
      auto found = inputs.find(name);
      if (found == inputs.end())
        return invalidInput("input " + name + " is not given");
      HEDDLE_RETURN_IF_ERROR(define("input " + name, value, found->second));
    }
    for (auto &[name, tensor] : inputs) {
      bool has = false;
      for (auto &entry : program.inputs)
        has |= entry.first == name;
      if (!has)
        return invalidInput("the program has no input named \"" + name + "\"; it has " + known);
    }
    return Status::ok();
  }

  Status setConstants() {
    for (auto &[values, value] : program.constants) {
      HEDDLE_RETURN_IF_ERROR(checkValue("constant", value));
      auto count = static_cast<size_t>(elementCount(program.values[static_cast<size_t>(value)].shape));
      Tensor tensor = values.size() == 1 ? Tensor(count, values[0]) : values;
      HEDDLE_RETURN_IF_ERROR(define("constant " + std::to_string(value), value, std::move(tensor)));
    }
    return Status::ok();
  }

  Status readParameters(const ParameterReader &reader) {
    for (auto &[parts, value] : program.parameters) {
      HEDDLE_RETURN_IF_ERROR(checkValue("parameter", value));
      Tensor tensor(static_cast<size_t>(elementCount(program.values[static_cast<size_t>(value)].shape)), 0.0);
      for (const ParameterPart &part : parts) {
        if (!reader)
          return invalidInput("parameter " + part.name + " is not given");
        HEDDLE_ASSIGN_OR_RETURN(Tensor elements, reader(part));
        int64_t count = elementCount(part.shape);
        if (static_cast<int64_t>(elements.size()) != count)
          return invalidInput("parameter " + part.name + ": shape " + shapeText(part.shape) + " wants " +
                              std::to_string(count) + " elements, found " + std::to_string(elements.size()));
        if (part.elementOffset < 0 || part.elementOffset > static_cast<int64_t>(tensor.size()) - count)
          return invalidInput("parameter " + part.name + " at element " + std::to_string(part.elementOffset) +
                              " is outside its buffer of " + std::to_string(tensor.size()));
        std::copy(elements.begin(), elements.end(), tensor.begin() + part.elementOffset);
      }
      HEDDLE_RETURN_IF_ERROR(define("parameter", value, std::move(tensor)));
    }
    return Status::ok();
  }

  Status runOperation(const Operation &operation) {
    std::vector<const Tensor *> operands;
    for (int32_t value : operation.operands) {
      if (!defined[static_cast<size_t>(value)])
        return invalidInput("value " + std::to_string(value) + " is used before it is computed");
      operands.push_back(&tensors[static_cast<size_t>(value)]);
    }
    std::vector<Tensor> results;
    for (int32_t value : operation.results) {
      auto result = static_cast<size_t>(value);
      if (defined[result])
        return invalidInput("value " + std::to_string(value) + " is computed twice");
      defined[result] = true;
      results.emplace_back(static_cast<size_t>(elementCount(program.values[result].shape)));
    }
    Context context(program, operation, std::move(operands), results, pool);
    HEDDLE_RETURN_IF_ERROR(allHandlers().at(operation.name).run(context));
    for (size_t i = 0; i < results.size(); ++i)
      tensors[static_cast<size_t>(operation.results[i])] = std::move(results[i]);
    return Status::ok();
  }

  void release(int64_t index) {
    const Operation &operation = program.operations[static_cast<size_t>(index)];
    for (int32_t value : operation.operands)
      if (lastUse[static_cast<size_t>(value)] == index)
        Tensor().swap(tensors[static_cast<size_t>(value)]);
  }

  const Program &program;
  ThreadPool pool;
  std::vector<Tensor> tensors;
  std::vector<bool> defined;
  std::vector<int64_t> lastUse;
};

} // namespace

StatusOr<std::map<std::string, Tensor>> execute(const Program &program,
                                                const std::map<std::string, Tensor> &inputs,
                                                const ParameterReader &parameters, int threads) {
  Interpreter interpreter(program, threads);
  HEDDLE_RETURN_IF_ERROR(interpreter.run(inputs, parameters).with("reference"));
  return interpreter.outputs();
}

} // namespace heddle::runtime::reference
