#include "formats/npy_literal.hpp"

#include "formats/npy_bytes.hpp"

#include <gtest/gtest.h>

namespace loadstone::formats {
namespace {

using namespace std::string_literals;

constexpr std::int64_t kPrefix = 10;

Result<NpyLiteral> parse(std::string_view text, int version = 1) {
  return parse_npy_literal(text, version, kPrefix, Limits{});
}

Fault refused(std::string_view text, int version = 1) {
  const auto result = parse(text, version);
  EXPECT_FALSE(result.ok()) << text;
  const Fault fault = fault_of(result);
  EXPECT_EQ(fault.code, Code::malformed) << text;
  EXPECT_FALSE(fault.message.empty() || fault.remedy.empty()) << text;
  EXPECT_TRUE(fault.offset) << text;
  return fault;
}

TEST(NpyLiteral, DS30AnyOrderSpacesQuotesAndCommas) {
  for (const char* text : {
           "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }",
           "{'descr':'<i4','fortran_order':True,'shape':(2,3)}",
           "{\"descr\": \"<i4\", \"fortran_order\": True, \"shape\": (2, 3)}",
           "{'shape': (2, 3), 'fortran_order': True, 'descr': '<i4'}",
           "   { 'descr' : '<i4' , 'fortran_order' : True , 'shape' : ( 2 , 3 , ) , }   ",
           "{'descr': '<i4', 'fortran_order': True, 'shape': (2L, 3L), }",
           "{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }   \n",
           "{'d\\x65scr': '\\x3ci4', 'fortran_order': True, 'shape': (2, 3)}",
       }) {
    const auto result = parse(text);
    ASSERT_TRUE(result.ok()) << text << fault_of(result).message;
    EXPECT_EQ(result->descr.scalar, "<i4");
    EXPECT_FALSE(result->descr.structured);
    EXPECT_TRUE(result->fortran_order);
    EXPECT_EQ(result->shape, (Shape{2, 3}));
  }
}

TEST(NpyLiteral, C004PaddingOfAnyLength) {
  for (const std::size_t padding : {0U, 1U, 4096U, 100'000U}) {
    EXPECT_TRUE(parse("{'descr': '<i4', 'fortran_order': True, 'shape': ()}" + std::string(padding, ' ')).ok());
  }
}

TEST(NpyLiteral, DS30Tuples) {
  const std::pair<const char*, Shape> table[] = {{"()", {}},
                                                 {"(7,)", {7}},
                                                 {"( 7 , )", {7}},
                                                 {"(0,)", {0}},
                                                 {"(1, 2)", {1, 2}},
                                                 {"(1, 2,)", {1, 2}},
                                                 {"(9223372036854775807,)", {INT64_MAX}}};
  for (const auto& [text, shape] : table) {
    EXPECT_EQ(parse(header_text("'<i4'", text)).value().shape, shape) << text;
  }
}

TEST(NpyLiteral, DS30TuplesThatAreNone) {
  for (const char* text : {"(6)",
                           "6",
                           "[6]",
                           "(,)",
                           "(2,,3)",
                           "(2 3)",
                           "(2, 3",
                           "2, 3)",
                           "(-1,)",
                           "(+6,)",
                           "(2.0, 3)",
                           "(1e1,)",
                           "(True, 6)",
                           "('6',)",
                           "((6,),)",
                           "((6, 2))",
                           "(06,)",
                           "(00,)",
                           "(0x6,)",
                           "(0b1,)",
                           "(6_0,)",
                           "(6l,)",
                           "(6 L,)",
                           "(6LL,)",
                           "(L,)",
                           "(6j,)",
                           "(np.int64(6),)",
                           "(2*3,)",
                           "(2\t, 3)",
                           "(2,\n3)",
                           "(6,) # six",
                           "(6,)*2",
                           "range(6)",
                           "None",
                           "''",
                           "(\xd9\xa6,)",
                           "(10000000000000000000,)"}) {
    EXPECT_EQ(refused(header_text("'<i4'", text)).kind, "header.syntax") << text;
  }
}

TEST(NpyLiteral, C001TheTokenAndItsByteAreNamed) {
  const std::string text = header_text("'<i4'", "(np.int64(1), np.int64(2))");
  const Fault fault = refused(text);
  EXPECT_EQ(fault.kind, "header.syntax");
  EXPECT_EQ(fault.offset, kPrefix + static_cast<std::int64_t>(text.find("np.")));
  EXPECT_EQ(number_or_text(fault.got), "np.int64");
  EXPECT_NE(fault.message.find("np.int64"), std::string::npos);
}

TEST(NpyLiteral, E6TokensAreEscapedAndCut) {
  EXPECT_EQ(number_or_text(refused(header_text("'\x1b[31m'", "()")).got), "\\x1b");
  EXPECT_EQ(number_or_text(refused(header_text("'\0'"s, "()")).got), "\\x00");
  EXPECT_LE(refused(header_text("'<i4'", "(" + std::string(30'000, 'q') + ")")).message.size(), 400U);
}

TEST(NpyLiteral, DS30LongsOnlyInTheOldVersions) {
  const std::string text = header_text("'<i4'", "(2L, 3L)");
  EXPECT_TRUE(parse(text, 1).ok());
  EXPECT_TRUE(parse(text, 2).ok());
  const Fault fault = refused(text, 3);
  EXPECT_EQ(fault.kind, "header.syntax");
  EXPECT_EQ(number_or_text(fault.got), "2L");
}

TEST(NpyLiteral, DS29ExtentsUpTo63Bits) {
  const Fault fault = refused(header_text("'<i4'", "(9223372036854775808,)"));
  EXPECT_EQ(fault.kind, "header.shape");
  EXPECT_EQ(number_or_text(fault.got), "9223372036854775808");
}

TEST(NpyLiteral, DS29SixtyFourAxes) {
  const auto ones = [](int n) {
    std::string text = "(";
    for (int i = 0; i < n; ++i) text += "1,";
    return text + ")";
  };
  EXPECT_EQ(parse(header_text("'<i4'", ones(64))).value().shape.size(), 64U);
  EXPECT_EQ(refused(header_text("'<i4'", ones(65))).kind, "header.shape");
}

TEST(NpyLiteral, DS30EachKeyExactlyOnce) {
  const std::pair<const char*, const char*> table[] = {
      {"{'descr': '<i4', 'shape': ()}", "fortran_order"},
      {"{'fortran_order': True, 'shape': ()}", "descr"},
      {"{'descr': '<i4', 'fortran_order': True}", "shape"},
      {"{'descr': '<i4', 'descr': '<i4', 'fortran_order': True, 'shape': ()}", "descr"},
      {"{'descr': '<i4', 'fortran_order': True, 'shape': (), 'x': 1}", "x"},
      {"{'Descr': '<i4', 'fortran_order': True, 'shape': ()}", "Descr"},
  };
  for (const auto& [text, key] : table) {
    const Fault fault = refused(text);
    EXPECT_EQ(fault.kind, "header.key") << text;
    EXPECT_EQ(number_or_text(fault.got), key);
  }
}

TEST(NpyLiteral, DS30FramesThatAreNone) {
  for (const std::string& text : {""s,
                                  " "s,
                                  "{"s,
                                  "}"s,
                                  "{}"s,
                                  "{,}"s,
                                  "[]"s,
                                  "None"s,
                                  "__import__('os').abort()"s,
                                  "{'descr': '<i4', 'fortran_order': True, 'shape': ()"s,
                                  "{'descr': '<i4', 'fortran_order': True, 'shape': ()}}"s,
                                  "{'descr': '<i4',, 'fortran_order': True, 'shape': ()}"s,
                                  "{'descr': '<i4' 'fortran_order': True 'shape': ()}"s,
                                  "{'descr': '<i4', 'fortran_order': True, 'shape': (),,}"s,
                                  "({'descr': '<i4', 'fortran_order': True, 'shape': ()})"s,
                                  "{'descr'= '<i4', 'fortran_order'= True, 'shape'= ()}"s,
                                  "{descr: '<i4', 'fortran_order': True, 'shape': ()}"s,
                                  "\t{'descr': '<i4', 'fortran_order': True, 'shape': ()}"s,
                                  "\n{'descr': '<i4', 'fortran_order': True, 'shape': ()}"s,
                                  "{'descr': '<i4', 'fortran_order': True, 'shape': ()}\n\n"s,
                                  "{'descr': '<i4', 'fortran_order': True, 'shape': ()}\n "s,
                                  "{'descr': '<i4', 'fortran_order': True, 'shape': ()}\t"s,
                                  "{'descr': '<i4', 'fortran_order': True, 'shape': ()}\0"s,
                                  "{'descr': '<i4', 'fortran_order': True, 'shape': ()} {}"s,
                                  "{'descr': '<i4', 'fortran_order': True, 'shape': ()};"s,
                                  "{'descr': '<i4', 'fortran_order': True, 'shape': ()}.copy()"s,
                                  "{**{}, 'descr': '<i4', 'fortran_order': True, 'shape': ()}"s}) {
    EXPECT_EQ(refused(text).kind, "header.syntax") << text;
  }
}

TEST(NpyLiteral, DS30TruthIsTrueOrFalse) {
  for (const char* text : {"0", "1", "None", "'False'", "false", "TRUE", "not True", "[]", "(False)", "Truer"}) {
    EXPECT_EQ(refused(header_text("'<i4'", "()", text)).kind, "header.syntax") << text;
  }
}

TEST(NpyLiteral, DS30DescrIsAStringOrAListOfFields) {
  for (const char* text : {"4",
                           "None",
                           "True",
                           "b'<i4'",
                           "u'<i4'",
                           "f'<i4'",
                           "('<i4',)",
                           "'<i' '4'",
                           "'<i4' + ''",
                           "[]",
                           "[,]",
                           "['<i4']",
                           "[('a',)]",
                           "[('a', '<i4', 2, 3)]",
                           "[('a', '<i4',)]",
                           "[(a, '<i4')]",
                           "[(('t',), '<i4')]",
                           "[('a', '<i4', (2))]",
                           "[('a', '<i4', -2)]",
                           "{'names': ['a']}",
                           "'''<i4'''",
                           "'\\q'"}) {
    EXPECT_EQ(refused(header_text(text, "()")).kind, "header.syntax") << text;
  }
}

TEST(NpyLiteral, DS31FieldsAreListed) {
  const auto result =
      parse(header_text("[('a', '<f4'), (('t', 'b'), [('x', '<i2'), ('y', '|O')], (2, 3)), ('', '|V4', 5), ]", "(3,)"));
  ASSERT_TRUE(result.ok()) << fault_of(result).message;
  const NpyDescr& descr = result->descr;
  EXPECT_TRUE(descr.structured);
  EXPECT_TRUE(descr.has_objects);
  EXPECT_EQ(descr.field_count, 3);
  EXPECT_EQ(descr.fields, "a: <f4, b: (x: <i2, y: |O) (2, 3), : |V4 (5,)");
}

TEST(NpyLiteral, H2NestingIsBounded) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += "[('a', ";
    text += "'<i4'";
    for (int i = 0; i < depth; ++i) text += ")]";
    return header_text(text, "()");
  };
  EXPECT_TRUE(parse(nested(16)).ok());
  EXPECT_EQ(refused(nested(17)).kind, "header.syntax");
  EXPECT_EQ(refused(nested(100'000)).kind, "header.syntax");
}

TEST(NpyLiteral, DS28Version3IsUtf8OlderOnesLatin1) {
  const std::string text = header_text("[('\xd1\x80', '<i4')]", "(3,)");
  EXPECT_EQ(parse(text, 3).value().descr.fields, "\u0440: <i4");
  EXPECT_EQ(parse(header_text("[('\xe9', '<i4')]", "(3,)"), 2).value().descr.fields, "\u00e9: <i4");
  const std::string latin1 = header_text("[('\xe9', '<i4')]", "(3,)");
  const Fault fault = refused(latin1, 3);
  EXPECT_EQ(fault.kind, "header.syntax");
  EXPECT_EQ(fault.offset, kPrefix + static_cast<std::int64_t>(latin1.find('\xe9')));
  EXPECT_EQ(number_or_text(fault.got), "\\xe9");
}

}  // namespace
}  // namespace loadstone::formats
