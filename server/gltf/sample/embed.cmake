# cmake -D INPUT=FILE -D OUTPUT=FILE.c -P embed.cmake: the bytes of the sample scene as a C array.
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include \"gltf/gltf.h\"\n
const uint8_t gz_sample_glb[] = {\n${bytes}};\n
const size_t gz_sample_glb_size = sizeof gz_sample_glb;\n")
