//===- ElfObject.cpp - Loads a kernel's object code -----------------------===//
#include "runtime/device/cpu/ElfObject.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <vector>

namespace heddle::runtime {

namespace {

struct External {
  const char *name;
  void *address;
};

template <typename Fn>
void *address(Fn *function) {
  return reinterpret_cast<void *>(function);
}

/// All that a kernel may call. The casts choose among the overloads of <cmath>.
using Float1 = float (*)(float);
using Double1 = double (*)(double);
const External kExternals[] = {
    {"memcpy", address(&std::memcpy)},
    {"memset", address(&std::memset)},
    {"memmove", address(&std::memmove)},
    {"expf", address(static_cast<Float1>(&std::exp))},
    {"logf", address(static_cast<Float1>(&std::log))},
    {"tanhf", address(static_cast<Float1>(&std::tanh))},
    {"erff", address(static_cast<Float1>(&std::erf))},
    {"sinf", address(static_cast<Float1>(&std::sin))},
    {"cosf", address(static_cast<Float1>(&std::cos))},
    {"powf", address(static_cast<float (*)(float, float)>(&std::pow))},
    {"exp", address(static_cast<Double1>(&std::exp))},
    {"log", address(static_cast<Double1>(&std::log))},
    {"tanh", address(static_cast<Double1>(&std::tanh))},
    {"erf", address(static_cast<Double1>(&std::erf))},
    {"sin", address(static_cast<Double1>(&std::sin))},
    {"cos", address(static_cast<Double1>(&std::cos))},
    {"pow", address(static_cast<double (*)(double, double)>(&std::pow))},
};

void *externalAddress(const std::string &name) {
  for (const External &external : kExternals)
    if (name == external.name)
      return external.address;
  return nullptr;
}

/// Where a section goes; the order is the order in memory, each kind on pages of its own.
enum Segment { kText, kConstants, kData, kSegments };

uint64_t roundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

/// A far function is reached by `jmp *[rip]` through the address that follows: the code is not within the 2
/// GiB that a 32-bit call spans.
constexpr uint64_t kStubBytes = 16;

} // namespace

class ElfLoader {
public:
  explicit ElfLoader(std::span<const uint8_t> bytes) : bytes(bytes) {}

  StatusOr<std::unique_ptr<ElfObject>> run() {
    HEDDLE_RETURN_IF_ERROR(readSections());
    HEDDLE_RETURN_IF_ERROR(readSymbols());
    HEDDLE_RETURN_IF_ERROR(layOut());
    HEDDLE_RETURN_IF_ERROR(map());
    HEDDLE_RETURN_IF_ERROR(resolveSymbols());
    for (const Elf64_Shdr &section : sections)
      HEDDLE_RETURN_IF_ERROR(relocate(section));
    HEDDLE_RETURN_IF_ERROR(protect());
    return std::move(object);
  }

private:
  struct Symbol {
    Elf64_Sym entry;
    std::string name;
    uint64_t address = 0;
    int64_t external = -1; ///< Which stub and table slot, for undefined symbols.
  };

  static Status wrong(const std::string &message) { return invalidInput("object code: " + message); }

  /// Copies a structure out of the file, which need not be aligned.
  template <typename T>
  bool read(uint64_t offset, T &value) const {
    if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
      return false;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return true;
  }

  bool inFile(const Elf64_Shdr &section) const {
    return section.sh_type == SHT_NOBITS ||
           (section.sh_offset <= bytes.size() && section.sh_size <= bytes.size() - section.sh_offset);
  }

  /// A zero-terminated string of a string table.
  bool string(const Elf64_Shdr &table, uint64_t offset, std::string &text) const {
    if (table.sh_type != SHT_STRTAB || offset >= table.sh_size)
      return false;
    auto *begin = reinterpret_cast<const char *>(bytes.data() + table.sh_offset + offset);
    size_t length = strnlen(begin, table.sh_size - offset);
    if (length == table.sh_size - offset)
      return false;
    text.assign(begin, length);
    return true;
  }

  Status readSections() {
    Elf64_Ehdr header;
    if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
      return wrong("not an ELF file");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != EM_X86_64 || header.e_type != ET_REL)
      return wrong("wanted a relocatable x86-64 object, found class " +
                   std::to_string(header.e_ident[EI_CLASS]) + ", machine " +
                   std::to_string(header.e_machine) + ", type " + std::to_string(header.e_type));
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 ||
        header.e_shstrndx >= header.e_shnum)
      return wrong("its section table is malformed");
    sections.resize(header.e_shnum);
    for (size_t i = 0; i < sections.size(); ++i)
      if (header.e_shoff > bytes.size() || !read(header.e_shoff + i * sizeof(Elf64_Shdr), sections[i]) ||
          !inFile(sections[i]))
        return wrong("section " + std::to_string(i) + " is outside the file");
    names.resize(sections.size());
    for (size_t i = 0; i < sections.size(); ++i)
      if (!string(sections[header.e_shstrndx], sections[i].sh_name, names[i]))
        return wrong("section " + std::to_string(i) + " has no legal name");
    return Status::ok();
  }

  Status readSymbols() {
    const Elf64_Shdr *table = nullptr;
    for (const Elf64_Shdr &section : sections)
      if (section.sh_type == SHT_SYMTAB) {
        if (table)
          return wrong("it has two symbol tables");
        table = &section;
      }
    if (!table)
      return wrong("it has no symbol table");
    symbolTable = static_cast<uint64_t>(table - sections.data());
    if (table->sh_entsize != sizeof(Elf64_Sym) || table->sh_link >= sections.size())
      return wrong("its symbol table is malformed");
    symbols.resize(table->sh_size / sizeof(Elf64_Sym));
    for (size_t i = 0; i < symbols.size(); ++i)
      if (!read(table->sh_offset + i * sizeof(Elf64_Sym), symbols[i].entry) ||
          !string(sections[table->sh_link], symbols[i].entry.st_name, symbols[i].name))
        return wrong("symbol " + std::to_string(i) + " is malformed");
    for (size_t i = 1; i < symbols.size(); ++i)
      if (symbols[i].entry.st_shndx == SHN_UNDEF) {
        // GNU tools leave this name in every object that takes addresses from the table; nothing refers to
        // it.
        if (symbols[i].name == "_GLOBAL_OFFSET_TABLE_")
          continue;
        if (!externalAddress(symbols[i].name))
          return wrong("it calls \"" + symbols[i].name + "\", which a kernel may not");
        symbols[i].external = externals++;
      }
    return Status::ok();
  }

  /// Sections for unwinding and notes for linkers are of no use here.
  bool isLoaded(size_t i) const {
    return (sections[i].sh_flags & SHF_ALLOC) && sections[i].sh_type != SHT_NOTE && names[i] != ".eh_frame";
  }

  Status layOut() {
    auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    offsets.assign(sections.size(), 0);
    uint64_t end = 0;
    for (int segment = 0; segment < kSegments; ++segment) {
      end = roundUp(end, page);
      begins[segment] = end;
      for (size_t i = 0; i < sections.size(); ++i) {
        const Elf64_Shdr &section = sections[i];
        if (!isLoaded(i))
          continue;
        HEDDLE_RETURN_IF_ERROR(checkLoaded(i, page));
        bool code = section.sh_flags & SHF_EXECINSTR, writable = section.sh_flags & SHF_WRITE;
        if (segment != (code ? kText : writable ? kData : kConstants))
          continue;
        end = roundUp(end, std::max<uint64_t>(section.sh_addralign, 1));
        offsets[i] = end;
        end += section.sh_size;
        if (section.sh_size > (uint64_t{1} << 30) || end > (uint64_t{1} << 30))
          return wrong("section " + names[i] + " of " + std::to_string(section.sh_size) +
                       " bytes: an object of more than 1 GiB is refused");
      }
      // Stubs end the code; the table of addresses, which GOTPCREL reads, ends the constants.
      if (segment == kText) {
        stubs = end = roundUp(end, kStubBytes);
        end += static_cast<uint64_t>(externals) * kStubBytes;
      } else if (segment == kConstants) {
        gotOffset = end = roundUp(end, 8);
        end += symbols.size() * 8;
      }
    }
    size = std::max(roundUp(end, page), page);
    return Status::ok();
  }

  Status checkLoaded(size_t i, uint64_t page) const {
    const Elf64_Shdr &section = sections[i];
    if (section.sh_flags & (SHF_TLS | SHF_COMPRESSED))
      return wrong("section " + names[i] + " is thread-local or compressed");
    if (section.sh_type != SHT_PROGBITS && section.sh_type != SHT_NOBITS &&
        section.sh_type != SHT_X86_64_UNWIND)
      return wrong("section " + names[i] + " has type " + std::to_string(section.sh_type) +
                   ": wanted code, constants, data or zeroes");
    if ((section.sh_flags & SHF_EXECINSTR) && (section.sh_flags & SHF_WRITE))
      return wrong("section " + names[i] + " is both code and writable");
    uint64_t alignment = section.sh_addralign;
    if (alignment > page || (alignment & (alignment - 1)) != 0)
      return wrong("section " + names[i] + " wants alignment " + std::to_string(alignment));
    return Status::ok();
  }

  Status map() {
    void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return unavailable("cannot map " + std::to_string(size) +
                         " bytes for a kernel: " + std::strerror(errno));
    object.reset(new ElfObject());
    object->memory_ = memory;
    object->size_ = size;
    base = static_cast<uint8_t *>(memory);
    for (size_t i = 0; i < sections.size(); ++i)
      if (isLoaded(i) && sections[i].sh_type != SHT_NOBITS)
        std::memcpy(base + offsets[i], bytes.data() + sections[i].sh_offset, sections[i].sh_size);
    return Status::ok();
  }

  Status resolveSymbols() {
    for (size_t i = 1; i < symbols.size(); ++i) {
      Symbol &symbol = symbols[i];
      uint16_t index = symbol.entry.st_shndx;
      if (index == SHN_UNDEF) {
        if (symbol.external < 0)
          continue;
        symbol.address = reinterpret_cast<uint64_t>(externalAddress(symbol.name));
        uint8_t *stub = base + stubs + static_cast<uint64_t>(symbol.external) * kStubBytes;
        const uint8_t jump[6] = {0xff, 0x25, 0, 0, 0, 0};
        std::memcpy(stub, jump, sizeof jump);
        std::memcpy(stub + sizeof jump, &symbol.address, 8);
      } else if (index == SHN_ABS) {
        symbol.address = symbol.entry.st_value;
      } else if (index >= sections.size()) {
        return wrong("symbol " + symbol.name + " is in section " + std::to_string(index) +
                     ", which there is not");
      } else if (isLoaded(index)) {
        if (symbol.entry.st_value > sections[index].sh_size)
          return wrong("symbol " + symbol.name + " is outside its section " + names[index]);
        uint8_t *place = base + offsets[index] + symbol.entry.st_value;
        symbol.address = reinterpret_cast<uint64_t>(place);
        if (ELF64_ST_TYPE(symbol.entry.st_info) == STT_FUNC &&
            ELF64_ST_BIND(symbol.entry.st_info) != STB_LOCAL && (sections[index].sh_flags & SHF_EXECINSTR) &&
            symbol.entry.st_value < sections[index].sh_size)
          object->functions_[symbol.name] = place;
      }
      std::memcpy(base + gotOffset + i * 8, &symbol.address, 8);
    }
    return Status::ok();
  }

  Status relocate(const Elf64_Shdr &table) {
    if (table.sh_type != SHT_RELA && table.sh_type != SHT_REL)
      return Status::ok();
    if (table.sh_info >= sections.size())
      return wrong("a relocation table names section " + std::to_string(table.sh_info) +
                   ", which there is not");
    if (!isLoaded(table.sh_info))
      return Status::ok();
    if (table.sh_type == SHT_REL || table.sh_entsize != sizeof(Elf64_Rela) || table.sh_link != symbolTable)
      return wrong("the relocation table of " + names[table.sh_info] + " is malformed");
    for (uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Rela); ++i) {
      Elf64_Rela relocation;
      if (!read(table.sh_offset + i * sizeof relocation, relocation))
        return wrong("a relocation is outside the file");
      HEDDLE_RETURN_IF_ERROR(apply(relocation, table.sh_info));
    }
    return Status::ok();
  }

  Status apply(const Elf64_Rela &relocation, size_t target) {
    uint64_t type = ELF64_R_TYPE(relocation.r_info), index = ELF64_R_SYM(relocation.r_info);
    if (type == R_X86_64_NONE)
      return Status::ok();
    if (index >= symbols.size())
      return wrong("a relocation names symbol " + std::to_string(index) + ", which there is not");
    const Symbol &symbol = symbols[index];
    std::string where = "relocation of " + names[target] + "+" + std::to_string(relocation.r_offset) +
                        " against \"" + symbol.name + "\"";
    bool wide = type == R_X86_64_64 || type == R_X86_64_PC64;
    uint64_t width = wide ? 8 : 4;
    const Elf64_Shdr &section = sections[target];
    if (section.sh_type == SHT_NOBITS || relocation.r_offset > section.sh_size ||
        width > section.sh_size - relocation.r_offset)
      return wrong(where + " is outside its section");
    bool known = index != 0 && symbol.address != 0;
    if (!known)
      return wrong(where + ": the symbol has no place in memory");
    uint8_t *place = base + offsets[target] + relocation.r_offset;
    auto at = reinterpret_cast<uint64_t>(place), addend = static_cast<uint64_t>(relocation.r_addend);
    auto slot = reinterpret_cast<uint64_t>(base + gotOffset + index * 8);
    uint64_t near = symbol.external < 0 ? symbol.address
                                        : reinterpret_cast<uint64_t>(base + stubs) +
                                              static_cast<uint64_t>(symbol.external) * kStubBytes;
    uint64_t value = 0;
    switch (type) {
    case R_X86_64_64:
      value = symbol.address + addend;
      break;
    case R_X86_64_PC64:
      value = symbol.address + addend - at;
      break;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      value = near + addend - at;
      break;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      value = slot + addend - at;
      break;
    case R_X86_64_32:
    case R_X86_64_32S:
      value = symbol.address + addend;
      break;
    default:
      return wrong(where + " has type " + std::to_string(type) + ", which this loader does not know");
    }
    if (!wide) {
      bool fits = type == R_X86_64_32 ? value <= UINT32_MAX
                                      : static_cast<int64_t>(value) == static_cast<int32_t>(value);
      if (!fits)
        return wrong(where + " does not fit in 32 bits: was it made with -fPIC?");
    }
    std::memcpy(place, &value, width); // Little-endian: the low half comes first.
    return Status::ok();
  }

  Status protect() {
    const int rights[kSegments] = {PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};
    for (int segment = 0; segment < kSegments; ++segment) {
      uint64_t end = segment + 1 < kSegments ? begins[segment + 1] : size;
      if (end > begins[segment] &&
          mprotect(base + begins[segment], end - begins[segment], rights[segment]) != 0)
        return unavailable(std::string("cannot make a kernel executable: ") + std::strerror(errno));
    }
    return Status::ok();
  }

  std::span<const uint8_t> bytes;
  std::vector<Elf64_Shdr> sections;
  std::vector<std::string> names;
  std::vector<Symbol> symbols;
  uint64_t symbolTable = 0;
  int64_t externals = 0;
  std::vector<uint64_t> offsets; ///< Of each section, from `base`.
  uint64_t begins[kSegments] = {}, stubs = 0, gotOffset = 0, size = 0;
  uint8_t *base = nullptr;
  std::unique_ptr<ElfObject> object;
};

StatusOr<std::unique_ptr<ElfObject>> ElfObject::load(std::span<const uint8_t> bytes) {
  return ElfLoader(bytes).run();
}

ElfObject::~ElfObject() {
  if (memory_)
    munmap(memory_, size_);
}

StatusOr<void *> ElfObject::function(const std::string &name) const {
  auto found = functions_.find(name);
  if (found == functions_.end())
    return invalidInput("object code: it does not define the function \"" + name + "\"");
  return found->second;
}

} // namespace heddle::runtime
