// CUDA's vector types, with CUDA's alignments.
#pragma once

#define SIMT_VECTOR2(name, scalar, alignment)                     \
  struct alignas(alignment) name {                                \
    scalar x, y;                                                  \
  };                                                              \
  inline name make_##name(scalar x, scalar y) { return {x, y}; }

#define SIMT_VECTOR3(name, scalar)                                              \
  struct name {                                                                 \
    scalar x, y, z;                                                             \
  };                                                                            \
  inline name make_##name(scalar x, scalar y, scalar z) { return {x, y, z}; }

#define SIMT_VECTOR4(name, scalar, alignment)                                                    \
  struct alignas(alignment) name {                                                               \
    scalar x, y, z, w;                                                                           \
  };                                                                                             \
  inline name make_##name(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }

SIMT_VECTOR2(uchar2, unsigned char, 2)
SIMT_VECTOR4(uchar4, unsigned char, 4)
SIMT_VECTOR2(short2, short, 4)
SIMT_VECTOR4(short4, short, 8)
SIMT_VECTOR2(ushort2, unsigned short, 4)
SIMT_VECTOR4(ushort4, unsigned short, 8)
SIMT_VECTOR2(int2, int, 8)
SIMT_VECTOR3(int3, int)
SIMT_VECTOR4(int4, int, 16)
SIMT_VECTOR2(uint2, unsigned, 8)
SIMT_VECTOR3(uint3, unsigned)
SIMT_VECTOR4(uint4, unsigned, 16)
SIMT_VECTOR2(longlong2, long long, 16)
SIMT_VECTOR2(ulonglong2, unsigned long long, 16)

#undef SIMT_VECTOR2
#undef SIMT_VECTOR3
#undef SIMT_VECTOR4

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
