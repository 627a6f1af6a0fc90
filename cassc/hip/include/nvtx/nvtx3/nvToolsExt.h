// NVTX: names for ranges and moments of a program, which a profiler shows. There is none here that listens (NVTX 3, C interface).
#ifndef CASSC_NVTX_H
#define CASSC_NVTX_H
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st* nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st* nvtxStringHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2, NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1, NVTX_PAYLOAD_TYPE_INT64 = 2, NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4, NVTX_PAYLOAD_TYPE_INT32 = 5, NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
  const char* ascii;
  const wchar_t* unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

#define CASSC_NVTX static inline __attribute__((unused))
CASSC_NVTX int nvtxRangePushA(const char* text) { return (void)text, NVTX_NO_PUSH_POP_TRACKING; }
CASSC_NVTX int nvtxRangePushW(const wchar_t* text) { return (void)text, NVTX_NO_PUSH_POP_TRACKING; }
CASSC_NVTX int nvtxRangePushEx(const nvtxEventAttributes_t* event) { return (void)event, NVTX_NO_PUSH_POP_TRACKING; }
CASSC_NVTX int nvtxRangePop(void) { return NVTX_NO_PUSH_POP_TRACKING; }
CASSC_NVTX nvtxRangeId_t nvtxRangeStartA(const char* text) { return (void)text, 0; }
CASSC_NVTX nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t* event) { return (void)event, 0; }
CASSC_NVTX void nvtxRangeEnd(nvtxRangeId_t range) { (void)range; }
CASSC_NVTX void nvtxMarkA(const char* text) { (void)text; }
CASSC_NVTX void nvtxMarkEx(const nvtxEventAttributes_t* event) { (void)event; }
CASSC_NVTX void nvtxNameOsThreadA(uint32_t thread, const char* name) { (void)thread, (void)name; }
CASSC_NVTX void nvtxNameCategoryA(uint32_t category, const char* name) { (void)category, (void)name; }
CASSC_NVTX nvtxDomainHandle_t nvtxDomainCreateA(const char* name) { return (void)name, (nvtxDomainHandle_t)0; }
CASSC_NVTX void nvtxDomainDestroy(nvtxDomainHandle_t domain) { (void)domain; }
CASSC_NVTX int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  return (void)domain, (void)event, NVTX_NO_PUSH_POP_TRACKING;
}
CASSC_NVTX int nvtxDomainRangePop(nvtxDomainHandle_t domain) { return (void)domain, NVTX_NO_PUSH_POP_TRACKING; }
CASSC_NVTX void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) { (void)domain, (void)event; }
#undef CASSC_NVTX
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxDomainCreate nvtxDomainCreateA
#endif
