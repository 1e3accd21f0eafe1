# cmake -DOUT=schema.c -DFILES="0001_a.sql;..." -P embed.cmake: the migrations as bytes, in order, each ended by a NUL.
# Bytes, because C11 promises string literals of 4,095 characters only.
set(arrays "")
set(list "")
foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
    string(APPEND arrays "static const char sql_${name}[] = {\n${bytes}0};\n")
    string(APPEND list "    sql_${name},\n")
endforeach()
list(LENGTH FILES count)
file(WRITE ${OUT} "#include \"schema/schema.h\"\n\n${arrays}
const char *const gz_schema_sql[] = {\n${list}};
const int gz_schema_version = ${count};\n")
