#include "formats/npy.hpp"

#include "formats/npy_bytes.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

#include <array>

namespace loadstone::formats {
namespace {

Result<Description> parse(std::string_view file, std::int64_t file_bytes) {
  return parse_npy_header(bytes_of(file), file_bytes, Limits{});
}
Result<Description> parse(std::string_view file) { return parse(file, std::ssize(file)); }

Fault refused(std::string_view file, std::int64_t file_bytes) {
  const auto result = parse(file, file_bytes);
  EXPECT_FALSE(result.ok());
  const Fault fault = fault_of(result);
  EXPECT_FALSE(fault.message.empty() || fault.remedy.empty()) << fault.kind;
  return fault;
}
Fault refused(std::string_view file) { return refused(file, std::ssize(file)); }

std::string simple(std::string_view descr, std::string_view shape, std::size_t payload,
                   std::string_view order = "False") {
  return framed(header_text(descr, shape, order)) + std::string(payload, '\0');
}

TEST(Npy, DS28PayloadFollowsTheHeaderAtAnyOffset) {
  const std::string text = header_text("'<f4'", "(5, 3)");
  for (const std::size_t offset : {64U, 128U, 512U, 4032U, 4096U, 4160U, 65600U, 77U}) {
    const int version = offset > 65'000 ? 2 : 1;
    const std::size_t prefix = version == 1 ? 10 : 12;
    const std::string padding(offset > prefix + text.size() ? offset - prefix - text.size() : 0, ' ');
    const std::string file = framed(text.substr(0, text.size() - 1) + padding + "\n", {.version = version});
    const auto result = parse(file, std::ssize(file) + 60);
    ASSERT_TRUE(result.ok()) << offset;
    EXPECT_EQ(result->data_offset, std::ssize(file));
    EXPECT_EQ(result->nbytes, 60);
    EXPECT_EQ(result->shape, (Shape{5, 3}));
    EXPECT_EQ(result->dtype.str(), "<f4");
  }
}

TEST(Npy, DS29C010ShapesWhoseBytesOverflow) {
  for (const char* shape : {"(4611686018427387904, 4)", "(9223372036854775807,)", "(4294967296, 4294967296)",
                            "(0, 9223372036854775807)", "(0, 4611686018427387904, 8)", "(3037000500, 3037000500)"}) {
    const Fault fault = refused(simple("'<f4'", shape, 24));
    EXPECT_EQ(fault.kind, "header.shape") << shape;
    EXPECT_EQ(fault.code, Code::malformed);
    EXPECT_TRUE(std::holds_alternative<std::vector<std::int64_t>>(fault.got));
  }
}

TEST(Npy, DS29TheLargestPayloadThatFits63Bits) {
  const std::string file = framed(header_text("'|u1'", "(9223372036854775807,)"));
  const Fault fault = refused(file, INT64_MAX);  // the header takes some of the file
  EXPECT_EQ(fault.kind, "shard.truncated");
  EXPECT_EQ(number_or_text(fault.wanted), "9223372036854775807");
}

TEST(Npy, T9CutAtEveryByte) {
  for (const int version : {1, 2, 3}) {
    const std::string whole = framed(header_text("'<i4'", "(7, 5)"), {.version = version}) + std::string(140, 'x');
    EXPECT_TRUE(parse(whole).ok());
    for (std::size_t cut = 0; cut < whole.size(); ++cut) {
      const Fault fault = refused(whole.substr(0, cut));
      EXPECT_TRUE(fault.code == Code::malformed || fault.code == Code::truncated) << cut;
      EXPECT_EQ(fault.kind == "shard.truncated", cut >= whole.size() - 140) << cut << fault.kind;
    }
  }
}

TEST(Npy, C055TruncationCountsBytesAndWholeRows) {
  const Fault fault = refused(simple("'<f4'", "(5, 3, 4)", 239));
  EXPECT_EQ(fault.kind, "shard.truncated");
  EXPECT_EQ(fault.code, Code::truncated);
  EXPECT_EQ(number_or_text(fault.wanted), "240");
  EXPECT_EQ(number_or_text(fault.got), "239");
  EXPECT_NE(fault.message.find("1 short; 4 of 5 rows are whole"), std::string::npos) << fault.message;
  EXPECT_NE(refused(simple("'<f4'", "(5, 3, 4)", 0)).message.find("0 of 5 rows"), std::string::npos);
  EXPECT_EQ(refused(simple("'<f4'", "(5, 3, 4)", 239, "True")).message.find("rows"), std::string::npos)
      << "a column-major payload has no whole rows";
  EXPECT_EQ(number_or_text(refused(simple("'<f8'", "()", 7)).wanted), "8");
}

TEST(Npy, TrailingBytesAreTheCallersToJudge) {
  const auto result = parse(simple("'<f4'", "(5,)", 100));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->nbytes, 20);
}

TEST(Npy, ABufferShorterThanTheHeaderIsRefused) {
  const std::string file = simple("'<f4'", "(5,)", 20);
  const Fault fault = refused(file.substr(0, 40), std::ssize(file));
  EXPECT_EQ(fault.kind, "header.cut");
  EXPECT_EQ(number_or_text(fault.got), "40");
}

TEST(Npy, C011C013ObjectsAreRefusedAloneAndNested) {
  for (const char* descr : {"'|O'", "'O'", "'<O8'", "[('a', '|O')]", "[('a', '<f4'), ('b', '|O')]",
                            "[('a', [('b', '|O')])]", "[('a', '|O', (2,))]"}) {
    const Fault fault = refused(simple(descr, "(3,)", 720));
    EXPECT_EQ(fault.kind, "dtype.object") << descr;
    EXPECT_EQ(fault.code, Code::refused) << descr;
  }
}

TEST(Npy, C004StructuresAreRefusedWithEveryField) {
  for (const int fields : {1, 40, 600}) {
    std::string descr = "[";
    for (int i = 0; i < fields; ++i) descr += "('f" + std::to_string(i) + "', '<f4'), ";
    const Fault fault = refused(simple(descr + "]", "(3,)", 12 * 600));
    EXPECT_EQ(fault.kind, "dtype.structured");
    EXPECT_EQ(fault.code, Code::unsupported);
    const std::string listed = number_or_text(fault.got);
    for (int i = 0; i < fields; ++i) EXPECT_NE(listed.find("f" + std::to_string(i) + ": <f4"), std::string::npos) << i;
    EXPECT_NE(fault.message.find(counted(fields, "field")), std::string::npos);
  }
}

TEST(Npy, H2AHugeListOfFieldsGivesABoundedFault) {
  std::string descr = "[";
  while (descr.size() < 900'000) descr += "('\x01', '<f4'), ";
  std::string escaped = "[";
  while (escaped.size() < 900'000) escaped += "('\\x01', '<f4'), ";
  EXPECT_EQ(refused(framed(header_text(descr + "]", "(3,)"), {.version = 2})).kind, "header.syntax");
  const Fault fault = refused(framed(header_text(escaped + "]", "(3,)"), {.version = 2}));
  EXPECT_EQ(fault.kind, "dtype.structured");
  EXPECT_LE(number_or_text(fault.got).size(), 20'000U);
  EXPECT_LE(fault.message.size(), 2'500U);
}

TEST(Npy, DS31OtherTypesAreUnsupported) {
  for (const char* descr :
       {"''", "'<i3'", "'i4'", "'=i4'", "'float32'", "'<f12x'", "'<M8[xyz]'", "'|f4'", "'<i4,<i4'"}) {
    const Fault fault = refused(simple(descr, "(3,)", 100));
    EXPECT_EQ(fault.kind, "dtype.unsupported") << descr;
    EXPECT_EQ(fault.code, Code::unsupported);
  }
  EXPECT_EQ(number_or_text(refused(simple("'<i3'", "(3,)", 100)).got), "<i3");
}

TEST(Npy, DS32ZeroDimensional) {
  const auto result = parse(simple("'<f8'", "()", 8));
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->shape.empty());
  EXPECT_EQ(result->nbytes, 8);
}

TEST(Npy, DS33ZeroExtents) {
  for (const char* shape : {"(0,)", "(0, 3)", "(3, 0)", "(0, 0, 0)"}) {
    const auto result = parse(simple("'<f8'", shape, 0));
    ASSERT_TRUE(result.ok()) << shape;
    EXPECT_EQ(result->nbytes, 0);
  }
  EXPECT_EQ(parse(simple("'|S0'", "(5,)", 0)).value().nbytes, 0);
}

TEST(Npy, DS34ByteOrderIsKept) {
  EXPECT_EQ(parse(simple("'>f4'", "(2,)", 8)).value().dtype.byte_order, ByteOrder::big);
  EXPECT_EQ(parse(simple("'<f4'", "(2,)", 8)).value().dtype.byte_order, ByteOrder::little);
}

TEST(Npy, DS35StorageOrderIsKept) {
  EXPECT_EQ(parse(simple("'<f4'", "(2, 1)", 8)).value().order, StorageOrder::c);
  EXPECT_EQ(parse(simple("'<f4'", "(2, 1)", 8, "True")).value().order, StorageOrder::f);
}

// ---- the writer
// --------------------------------------------------------------------------------------------------------

TEST(NpyWrite, AsNumPyWritesIt) {
  const auto numpys = [](std::string text, char length) {
    text.resize(static_cast<unsigned char>(length) - 1U, ' ');
    return std::string("\x93NUMPY\x01\0", 8) + length + '\0' + text + "\n";
  };
  const Shape matrix{1200, 256};
  EXPECT_EQ(write_npy_header(*parse_dtype("<f4"), matrix),
            numpys("{'descr': '<f4', 'fortran_order': False, 'shape': (1200, 256), }", 'v'));
  EXPECT_EQ(write_npy_header(*parse_dtype("<f4"), {}),
            numpys("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 'v'));
  EXPECT_EQ(write_npy_header(*parse_dtype("|u1"), Shape{0}),
            numpys("{'descr': '|u1', 'fortran_order': False, 'shape': (0,), }", 'v'));
}

TEST(NpyWrite, ATextOver64KiBTakesVersion2) {
  const Shape shape(30'000, 1);
  const std::string header = write_npy_header(*parse_dtype("|u1"), shape);
  EXPECT_EQ(header[6], '\x02');
  EXPECT_EQ(header.size() % 64, 0U);
  Limits limits;
  limits.max_ndim = 30'000;
  EXPECT_EQ(parse_npy_header(bytes_of(header), INT64_MAX, limits).value().shape, shape);
}

DType random_dtype(std::mt19937_64& random) {
  constexpr auto kFixed =
      std::to_array<const char*>({"|b1", "|i1", "<i2", ">i4", "<i8", "|u1", ">u2", "<u4", ">u8", "<f2", ">f4", "<f8",
                                  "<c8", ">c16", "<M8[ns]", ">m8[25s]", "<M8"});
  const auto at = static_cast<std::size_t>(test::pick(random, 0, std::ssize(kFixed) + 2));
  if (at < kFixed.size()) return *parse_dtype(kFixed[at]);
  const char kind = "SUV"[at - kFixed.size()];
  return *parse_dtype(std::string(kind == 'U' ? ">" : "|") + kind + std::to_string(test::pick(random, 0, 5000)));
}

TEST(NpyWrite, EveryHeaderReadsBackEqual) {
  SCOPED_TRACE(test::seed_note());
  auto random = test::generator();
  for (int i = 0; i < 20'000; ++i) {
    const DType dtype = random_dtype(random);
    Shape shape(static_cast<std::size_t>(test::pick(random, 0, 5)));
    for (std::int64_t& extent : shape) extent = test::pick(random, 0, 1000);
    const std::string header = write_npy_header(dtype, shape);
    const auto read = parse(header, INT64_MAX);
    ASSERT_TRUE(read.ok()) << header;
    ASSERT_EQ(header.size() % 64, 0U);
    ASSERT_EQ(read->data_offset, std::ssize(header));
    ASSERT_EQ(read->dtype, dtype);
    ASSERT_EQ(read->shape, shape);
    ASSERT_EQ(read->order, StorageOrder::c);
  }
}

// ---- the driver
// --------------------------------------------------------------------------------------------------------

const Driver& driver() { return *find_driver("npy").value(); }

TEST(NpyDriver, DS19OneReadOfAtMost4KiB) {
  const MemorySource source(simple("'<f4'", "(100000,)", 400'000));
  ASSERT_TRUE(driver().describe(source, {}).ok());
  EXPECT_EQ(source.reads, 1);
  EXPECT_LE(source.bytes_read, 4096);
}

TEST(NpyDriver, C004ALongHeaderTakesOneMoreRead) {
  const std::string text = header_text("'<f4'", "(5,)");
  const MemorySource source(framed(std::string(100'000, ' ') + text, {.version = 2}) + std::string(20, 'x'));
  const auto result = driver().describe(source, {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(source.reads, 2);
  EXPECT_EQ(source.bytes_read, result->data_offset);
}

TEST(NpyDriver, T1NothingIsReadOnTheWordOfALength) {
  MemorySource source(framed("", {.version = 2, .length = 0xffffffff}));
  EXPECT_EQ(fault_of(driver().describe(source, {})).kind, "header.length");
  source.claim(std::int64_t{1} << 40);  // a file that could hold it: the limit decides
  EXPECT_EQ(fault_of(driver().describe(source, {})).kind, "shard.changed") << "the claimed bytes are not there";
  MemorySource large(framed(std::string(8000, ' '), {.version = 2, .length = 0xffffffff}));
  large.claim(std::int64_t{1} << 40);
  EXPECT_EQ(fault_of(driver().describe(large, {})).kind, "header.length");
  EXPECT_LE(large.bytes_read, 4096);
}

TEST(NpyDriver, FM11ShortReadsGiveTheSame) {
  const std::string file = simple("'<f4'", "(5,)", 20);
  for (const std::int64_t most : {1, 7, 64}) {
    MemorySource source(file);
    source.most = most;
    EXPECT_EQ(driver().describe(source, {}).value().data_offset, std::ssize(file) - 20);
  }
}

TEST(NpyDriver, FM11AFailingSourceIsReported) {
  MemorySource source(simple("'<f4'", "(5,)", 20));
  source.failure =
      Fault{.code = Code::io, .kind = "shard.unreadable", .message = "EIO", .remedy = "r", .system_errno = 5};
  EXPECT_EQ(fault_of(driver().describe(source, {})), *source.failure);
}

TEST(NpyDriver, P7AFileThatShrinksWhileItIsReadIsChanged) {
  MemorySource source(simple("'<f4'", "(5,)", 20).substr(0, 50));
  source.claim(200);
  const Fault fault = fault_of(driver().describe(source, {}));
  EXPECT_EQ(fault.code, Code::changed);
  EXPECT_EQ(fault.kind, "shard.changed");
}

}  // namespace
}  // namespace loadstone::formats
