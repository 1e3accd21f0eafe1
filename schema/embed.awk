# embed.awk - .sql files as C, so that the SQL of the project stands in files that sqlite3 and editors understand.
# awk -v what=header|source [-v set=NAME] -f embed.awk FILES
#
# Each file F becomes an array gz_sql_F of its statements and an enum of their places, GZ_SQL_F_NAME and GZ_SQL_F_COUNT; with
# `set` all files together are one array. In a file:
#   -- :name     begins the statement of this name; lines of comment are left out
#   -- let name  begins a fragment, in which {p} is a prefix; {name PREFIX} stands for it from then on, in later files too
# A file with neither is one statement as it is, comments included, named as the file is.

function finish() {
    if (kind == "let") lets[name] = text
    if (kind == "statement") add(name, text)
    if (kind == "file") add(base, whole)
    kind = text = ""
}

function add(statement, sql) {
    names[++count] = toupper(statement)
    statements[count] = sql
    group_of[count] = group
    if (!(group in seen)) { seen[group] = 1; groups[++group_count] = group }
}

function fill(sql,    at, inner, space, prefix, body) {
    while (match(sql, /\{[a-z_]+( [^{}]*)?\}/)) {
        at = RSTART; inner = substr(sql, RSTART + 1, RLENGTH - 2)
        space = index(inner, " ")
        prefix = space ? substr(inner, space + 1) : ""
        body = space ? substr(inner, 1, space - 1) : inner
        if (!(body in lets)) { print FILENAME ": {" inner "} is no fragment" > "/dev/stderr"; failed = 1; exit 1 }
        space = RLENGTH
        body = lets[body]
        gsub(/\{p\}/, prefix, body)
        sub(/\n$/, "", body)
        sql = substr(sql, 1, at - 1) body substr(sql, at + space)
    }
    return sql
}

function print_literal(sql,    lines, n, i) {
    sub(/\n$/, "", sql)
    n = split(sql, lines, "\n")
    for (i = 1; i <= n; i++) {
        gsub(/["\\]/, "\\\\&", lines[i])
        printf "        %s\"%s%s\"%s\n", i == 1 ? "(" : " ", lines[i], i < n ? "\\n" : "", i < n ? "" : "),"
    }
}

FNR == 1 {
    finish()
    base = FILENAME
    sub(/.*\//, "", base); sub(/\.sql$/, "", base)
    group = set != "" ? set : base
    kind = "file"; whole = ""
}
/^-- (:|let )/ {
    if (kind != "file") finish()
    text = ""
    kind = $2 == "let" ? "let" : "statement"
    name = kind == "let" ? $3 : substr($2, 2)
    next
}
kind == "file" { whole = whole $0 "\n"; next }
!/^ *--/ && NF > 0 { text = text $0 "\n" }

END {
    if (failed) exit 1
    finish()
    print "/* Made by embed.awk from the .sql files; not to be edited. */"
    if (what == "header") print "#pragma once\n"
    else print "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n#include \"" header "\"\n"
    for (g = 1; g <= group_count; g++) {
        group = groups[g]; upper = toupper(group)
        if (what == "header") printf "enum gz_sql_%s {\n", group
        else printf "const char *const gz_sql_%s[GZ_SQL_%s_COUNT] = {\n", group, upper
        for (i = 1; i <= count; i++) {
            if (group_of[i] != group) continue
            if (what == "header") printf "    GZ_SQL_%s_%s,\n", upper, names[i]
            else { printf "    [GZ_SQL_%s_%s] =\n", upper, names[i]; print_literal(fill(statements[i])) }
        }
        if (what == "header") printf "    GZ_SQL_%s_COUNT\n};\nextern const char *const gz_sql_%s[GZ_SQL_%s_COUNT];\n\n", upper, group, upper
        else print "};\n"
    }
}
