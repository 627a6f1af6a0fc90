// Texture and surface objects (CUDA C++ Programming Guide, "Texture Functions", "Surface Functions").
#ifndef CASSC_TEXTURE_H
#define CASSC_TEXTURE_H
#include "cassc/texture_sample.h"

#ifdef __CUDA_ARCH__
namespace cassc {
// A texel as the type that the caller names: a scalar, or a vector of one, two or four.
template <class T_>
CASSC_FN T_ texture_channel(unsigned word) {
  if constexpr (__is_same(T_, float)) return __builtin_bit_cast(float, word);
  else return static_cast<T_>(word);
}
template <class T_, class = void>
struct TextureResult {
  static CASSC_FN T_ make(const Texel& texel) { return texture_channel<T_>(texel.word[0]); }
};
template <class T_>
struct TextureResult<T_, decltype(void(T_{}.x))> {
  using Scalar = decltype(T_{}.x);
  static CASSC_FN T_ make(const Texel& texel) {
    T_ result{};
    Scalar* members = &result.x;
    for (unsigned k = 0; k < sizeof(T_) / sizeof(Scalar); ++k) members[k] = texture_channel<Scalar>(texel.word[k]);
    return result;
  }
};
// The bytes of a surface's texel; null where an access is outside and the mode says that nothing happens.
CASSC_FN unsigned char* surface_place(unsigned long long handle, int x, int y, int z, int bytes, int mode) {
  const Texture& t = texture(handle);
  const TextureLevel& l = t.level[0];
  const int width = static_cast<int>(l.width << t.texel_shift()), height = static_cast<int>(l.height);
  const int depth = static_cast<int>(l.depth > 1 ? l.depth : t.layers);
  const bool inside = x >= 0 && x + bytes <= width && y >= 0 && y < (height ? height : 1) && z >= 0 && z < (depth ? depth : 1);
  if (!inside) {
    if (mode == cudaBoundaryModeTrap) __builtin_trap();
    if (mode == cudaBoundaryModeZero) return nullptr;
    x = x < 0 ? 0 : x > width - bytes ? width - bytes : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    z = z < 0 ? 0 : z >= depth ? depth - 1 : z;
  }
  return reinterpret_cast<unsigned char*>(l.address + static_cast<unsigned long long>(z) * l.slice +
                                          static_cast<unsigned long long>(y) * l.pitch + static_cast<unsigned>(x));
}
template <class T_>
CASSC_FN T_ surface_read(unsigned long long handle, int x, int y, int z, int mode) {
  const unsigned char* const place = surface_place(handle, x, y, z, sizeof(T_), mode);
  return place ? *reinterpret_cast<const T_*>(place) : T_{};
}
template <class T_>
CASSC_FN void surface_write(T_ value, unsigned long long handle, int x, int y, int z, int mode) {
  if (unsigned char* const place = surface_place(handle, x, y, z, sizeof(T_), mode)) *reinterpret_cast<T_*>(place) = value;
}
}  // namespace cassc
#endif

// Each function also in the form that stores its result through a pointer.
#define CASSC_TEXTURE(name, parameters, arguments, texel)                                    \
  template <class T_>                                                                         \
  CASSC_FN T_ name parameters CASSC_BODY(return cassc::TextureResult<T_>::make(texel);)        \
  template <class T_>                                                                         \
  CASSC_FN void name(T_* result, CASSC_UNPACK parameters) CASSC_BODY(*result = name<T_> arguments;)
#define CASSC_UNPACK(...) __VA_ARGS__
CASSC_TEXTURE(tex1Dfetch, (cudaTextureObject_t object, int x), (object, x), cassc::texture_fetch(object, x))
CASSC_TEXTURE(tex1D, (cudaTextureObject_t object, float x), (object, x),
              cassc::texture_sample(object, 1, {x, 0, 0, 0, false}, 0))
CASSC_TEXTURE(tex1DLod, (cudaTextureObject_t object, float x, float level), (object, x, level),
              cassc::texture_sample(object, 1, {x, 0, 0, 0, false}, level))
CASSC_TEXTURE(tex1DGrad, (cudaTextureObject_t object, float x, float dx, float dy), (object, x, dx, dy),
              cassc::texture_sample(object, 1, {x, 0, 0, 0, false}, cassc::texture_detail(object, 1, &dx, &dy)))
CASSC_TEXTURE(tex2D, (cudaTextureObject_t object, float x, float y), (object, x, y),
              cassc::texture_sample(object, 2, {x, y, 0, 0, false}, 0))
CASSC_TEXTURE(tex2DLod, (cudaTextureObject_t object, float x, float y, float level), (object, x, y, level),
              cassc::texture_sample(object, 2, {x, y, 0, 0, false}, level))
CASSC_TEXTURE(tex2DGrad, (cudaTextureObject_t object, float x, float y, float2 dx, float2 dy), (object, x, y, dx, dy),
              cassc::texture_sample(object, 2, {x, y, 0, 0, false}, cassc::texture_detail(object, 2, &dx.x, &dy.x)))
CASSC_TEXTURE(tex3D, (cudaTextureObject_t object, float x, float y, float z), (object, x, y, z),
              cassc::texture_sample(object, 3, {x, y, z, 0, false}, 0))
CASSC_TEXTURE(tex3DLod, (cudaTextureObject_t object, float x, float y, float z, float level), (object, x, y, z, level),
              cassc::texture_sample(object, 3, {x, y, z, 0, false}, level))
CASSC_TEXTURE(tex3DGrad, (cudaTextureObject_t object, float x, float y, float z, float4 dx, float4 dy), (object, x, y, z, dx, dy),
              cassc::texture_sample(object, 3, {x, y, z, 0, false}, cassc::texture_detail(object, 3, &dx.x, &dy.x)))
CASSC_TEXTURE(tex1DLayered, (cudaTextureObject_t object, float x, int layer), (object, x, layer),
              cassc::texture_sample(object, 1, {x, 0, 0, layer, false}, 0))
CASSC_TEXTURE(tex1DLayeredLod, (cudaTextureObject_t object, float x, int layer, float level), (object, x, layer, level),
              cassc::texture_sample(object, 1, {x, 0, 0, layer, false}, level))
CASSC_TEXTURE(tex1DLayeredGrad, (cudaTextureObject_t object, float x, int layer, float dx, float dy), (object, x, layer, dx, dy),
              cassc::texture_sample(object, 1, {x, 0, 0, layer, false}, cassc::texture_detail(object, 1, &dx, &dy)))
CASSC_TEXTURE(tex2DLayered, (cudaTextureObject_t object, float x, float y, int layer), (object, x, y, layer),
              cassc::texture_sample(object, 2, {x, y, 0, layer, false}, 0))
CASSC_TEXTURE(tex2DLayeredLod, (cudaTextureObject_t object, float x, float y, int layer, float level), (object, x, y, layer, level),
              cassc::texture_sample(object, 2, {x, y, 0, layer, false}, level))
CASSC_TEXTURE(tex2DLayeredGrad, (cudaTextureObject_t object, float x, float y, int layer, float2 dx, float2 dy), (object, x, y, layer, dx, dy),
              cassc::texture_sample(object, 2, {x, y, 0, layer, false}, cassc::texture_detail(object, 2, &dx.x, &dy.x)))
CASSC_TEXTURE(texCubemap, (cudaTextureObject_t object, float x, float y, float z), (object, x, y, z),
              cassc::texture_sample(object, 2, cassc::texture_direction(x, y, z, 0), 0))
CASSC_TEXTURE(texCubemapLod, (cudaTextureObject_t object, float x, float y, float z, float level), (object, x, y, z, level),
              cassc::texture_sample(object, 2, cassc::texture_direction(x, y, z, 0), level))
CASSC_TEXTURE(texCubemapLayered, (cudaTextureObject_t object, float x, float y, float z, int layer), (object, x, y, z, layer),
              cassc::texture_sample(object, 2, cassc::texture_direction(x, y, z, layer), 0))
CASSC_TEXTURE(texCubemapLayeredLod, (cudaTextureObject_t object, float x, float y, float z, int layer, float level), (object, x, y, z, layer, level),
              cassc::texture_sample(object, 2, cassc::texture_direction(x, y, z, layer), level))
#undef CASSC_TEXTURE
#undef CASSC_UNPACK
template <class T_>
CASSC_FN T_ tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0) CASSC_BODY(
    return cassc::TextureResult<T_>::make(cassc::texture_gather(object, {x, y, 0, 0, false}, component));)
template <class T_>
CASSC_FN void tex2Dgather(T_* result, cudaTextureObject_t object, float x, float y, int component = 0) CASSC_BODY(
    *result = tex2Dgather<T_>(object, x, y, component);)

#define CASSC_SURFACE(name, parameters, x, y, z)                                                                     \
  template <class T_>                                                                                                 \
  CASSC_FN T_ name##read(cudaSurfaceObject_t object, CASSC_UNPACK parameters,                                         \
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) CASSC_BODY(                             \
      return cassc::surface_read<T_>(object, x, y, z, mode);)                                                         \
  template <class T_>                                                                                                 \
  CASSC_FN void name##read(T_* result, cudaSurfaceObject_t object, CASSC_UNPACK parameters,                           \
                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) CASSC_BODY(                          \
      *result = cassc::surface_read<T_>(object, x, y, z, mode);)                                                      \
  template <class T_>                                                                                                 \
  CASSC_FN void name##write(T_ value, cudaSurfaceObject_t object, CASSC_UNPACK parameters,                            \
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) CASSC_BODY(                         \
      cassc::surface_write(value, object, x, y, z, mode);)
#define CASSC_UNPACK(...) __VA_ARGS__
CASSC_SURFACE(surf1D, (int x), x, 0, 0)
CASSC_SURFACE(surf2D, (int x, int y), x, y, 0)
CASSC_SURFACE(surf3D, (int x, int y, int z), x, y, z)
CASSC_SURFACE(surf1DLayered, (int x, int layer), x, 0, layer)
CASSC_SURFACE(surf2DLayered, (int x, int y, int layer), x, y, layer)
CASSC_SURFACE(surfCubemap, (int x, int y, int face), x, y, face)
CASSC_SURFACE(surfCubemapLayered, (int x, int y, int layerFace), x, y, layerFace)
#undef CASSC_SURFACE
#undef CASSC_UNPACK
#endif
