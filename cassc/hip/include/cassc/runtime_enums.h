// Enumerations of the CUDA runtime API. Names and numbers are the interface of libcudart 13 (CUDA Runtime API, "Data types used
// by CUDA Runtime"); no number differs from CUDA 12's.
#ifndef CASSC_RUNTIME_ENUMS_H
#define CASSC_RUNTIME_ENUMS_H

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
enum cudaError { cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorInitializationError,
    cudaErrorCudartUnloading, cudaErrorProfilerDisabled, cudaErrorProfilerNotInitialized,
    cudaErrorProfilerAlreadyStarted, cudaErrorProfilerAlreadyStopped, cudaErrorInvalidConfiguration,
    cudaErrorInvalidPitchValue = 12, cudaErrorInvalidSymbol, cudaErrorInvalidHostPointer = 16,
    cudaErrorInvalidDevicePointer, cudaErrorInvalidTexture, cudaErrorInvalidTextureBinding,
    cudaErrorInvalidChannelDescriptor, cudaErrorInvalidMemcpyDirection, cudaErrorAddressOfConstant,
    cudaErrorTextureFetchFailed, cudaErrorTextureNotBound, cudaErrorSynchronizationError,
    cudaErrorInvalidFilterSetting, cudaErrorInvalidNormSetting, cudaErrorMixedDeviceExecution,
    cudaErrorNotYetImplemented = 31, cudaErrorMemoryValueTooLarge, cudaErrorStubLibrary = 34,
    cudaErrorInsufficientDriver, cudaErrorCallRequiresNewerDriver, cudaErrorInvalidSurface,
    cudaErrorDuplicateVariableName = 43, cudaErrorDuplicateTextureName, cudaErrorDuplicateSurfaceName,
    cudaErrorDevicesUnavailable, cudaErrorIncompatibleDriverContext = 49, cudaErrorMissingConfiguration = 52,
    cudaErrorPriorLaunchFailure, cudaErrorLaunchMaxDepthExceeded = 65, cudaErrorLaunchFileScopedTex,
    cudaErrorLaunchFileScopedSurf, cudaErrorSyncDepthExceeded, cudaErrorLaunchPendingCountExceeded,
    cudaErrorInvalidDeviceFunction = 98, cudaErrorNoDevice = 100, cudaErrorInvalidDevice, cudaErrorDeviceNotLicensed,
    cudaErrorSoftwareValidityNotEstablished, cudaErrorStartupFailure = 127, cudaErrorInvalidKernelImage = 200,
    cudaErrorDeviceUninitialized, cudaErrorMapBufferObjectFailed = 205, cudaErrorUnmapBufferObjectFailed,
    cudaErrorArrayIsMapped, cudaErrorAlreadyMapped, cudaErrorNoKernelImageForDevice, cudaErrorAlreadyAcquired,
    cudaErrorNotMapped, cudaErrorNotMappedAsArray, cudaErrorNotMappedAsPointer, cudaErrorECCUncorrectable,
    cudaErrorUnsupportedLimit, cudaErrorDeviceAlreadyInUse, cudaErrorPeerAccessUnsupported, cudaErrorInvalidPtx,
    cudaErrorInvalidGraphicsContext, cudaErrorNvlinkUncorrectable, cudaErrorJitCompilerNotFound,
    cudaErrorUnsupportedPtxVersion, cudaErrorJitCompilationDisabled, cudaErrorUnsupportedExecAffinity,
    cudaErrorUnsupportedDevSideSync, cudaErrorContained, cudaErrorInvalidSource = 300, cudaErrorFileNotFound,
    cudaErrorSharedObjectSymbolNotFound, cudaErrorSharedObjectInitFailed, cudaErrorOperatingSystem,
    cudaErrorInvalidResourceHandle = 400, cudaErrorIllegalState, cudaErrorLossyQuery, cudaErrorSymbolNotFound = 500,
    cudaErrorNotReady = 600, cudaErrorIllegalAddress = 700, cudaErrorLaunchOutOfResources, cudaErrorLaunchTimeout,
    cudaErrorLaunchIncompatibleTexturing, cudaErrorPeerAccessAlreadyEnabled, cudaErrorPeerAccessNotEnabled,
    cudaErrorSetOnActiveProcess = 708, cudaErrorContextIsDestroyed, cudaErrorAssert, cudaErrorTooManyPeers,
    cudaErrorHostMemoryAlreadyRegistered, cudaErrorHostMemoryNotRegistered, cudaErrorHardwareStackError,
    cudaErrorIllegalInstruction, cudaErrorMisalignedAddress, cudaErrorInvalidAddressSpace, cudaErrorInvalidPc,
    cudaErrorLaunchFailure, cudaErrorCooperativeLaunchTooLarge, cudaErrorTensorMemoryLeak, cudaErrorNotPermitted =
    800, cudaErrorNotSupported, cudaErrorSystemNotReady, cudaErrorSystemDriverMismatch,
    cudaErrorCompatNotSupportedOnDevice, cudaErrorMpsConnectionFailed, cudaErrorMpsRpcFailure,
    cudaErrorMpsServerNotReady, cudaErrorMpsMaxClientsReached, cudaErrorMpsMaxConnectionsReached,
    cudaErrorMpsClientTerminated, cudaErrorCdpNotSupported, cudaErrorCdpVersionMismatch,
    cudaErrorStreamCaptureUnsupported = 900, cudaErrorStreamCaptureInvalidated, cudaErrorStreamCaptureMerge,
    cudaErrorStreamCaptureUnmatched, cudaErrorStreamCaptureUnjoined, cudaErrorStreamCaptureIsolation,
    cudaErrorStreamCaptureImplicit, cudaErrorCapturedEvent, cudaErrorStreamCaptureWrongThread, cudaErrorTimeout,
    cudaErrorGraphExecUpdateFailure, cudaErrorExternalDevice, cudaErrorInvalidClusterSize, cudaErrorFunctionNotLoaded,
    cudaErrorInvalidResourceType, cudaErrorInvalidResourceConfiguration, cudaErrorUnknown = 999,
    cudaErrorApiFailureBase = 10000 };
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone, cudaChannelFormatKindNV12, cudaChannelFormatKindUnsignedNormalized8X1,
    cudaChannelFormatKindUnsignedNormalized8X2, cudaChannelFormatKindUnsignedNormalized8X4,
    cudaChannelFormatKindUnsignedNormalized16X1, cudaChannelFormatKindUnsignedNormalized16X2,
    cudaChannelFormatKindUnsignedNormalized16X4, cudaChannelFormatKindSignedNormalized8X1,
    cudaChannelFormatKindSignedNormalized8X2, cudaChannelFormatKindSignedNormalized8X4,
    cudaChannelFormatKindSignedNormalized16X1, cudaChannelFormatKindSignedNormalized16X2,
    cudaChannelFormatKindSignedNormalized16X4, cudaChannelFormatKindUnsignedBlockCompressed1,
    cudaChannelFormatKindUnsignedBlockCompressed1SRGB, cudaChannelFormatKindUnsignedBlockCompressed2,
    cudaChannelFormatKindUnsignedBlockCompressed2SRGB, cudaChannelFormatKindUnsignedBlockCompressed3,
    cudaChannelFormatKindUnsignedBlockCompressed3SRGB, cudaChannelFormatKindUnsignedBlockCompressed4,
    cudaChannelFormatKindSignedBlockCompressed4, cudaChannelFormatKindUnsignedBlockCompressed5,
    cudaChannelFormatKindSignedBlockCompressed5, cudaChannelFormatKindUnsignedBlockCompressed6H,
    cudaChannelFormatKindSignedBlockCompressed6H, cudaChannelFormatKindUnsignedBlockCompressed7,
    cudaChannelFormatKindUnsignedBlockCompressed7SRGB, cudaChannelFormatKindUnsignedNormalized1010102 };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault };
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed };
enum cudaSynchronizationPolicy { cudaSyncPolicyAuto = 1, cudaSyncPolicySpin, cudaSyncPolicyYield,
    cudaSyncPolicyBlockingSync };
enum cudaClusterSchedulingPolicy { cudaClusterSchedulingPolicyDefault, cudaClusterSchedulingPolicySpread,
    cudaClusterSchedulingPolicyLoadBalancing };
enum cudaStreamUpdateCaptureDependenciesFlags { cudaStreamAddCaptureDependencies, cudaStreamSetCaptureDependencies };
enum cudaUserObjectFlags { cudaUserObjectNoDestructorSync = 1 };
enum cudaUserObjectRetainFlags { cudaGraphUserObjectMove = 1 };
enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear,
    cudaResourceTypePitch2D };
enum cudaResourceViewFormat { cudaResViewFormatNone, cudaResViewFormatUnsignedChar1, cudaResViewFormatUnsignedChar2,
    cudaResViewFormatUnsignedChar4, cudaResViewFormatSignedChar1, cudaResViewFormatSignedChar2,
    cudaResViewFormatSignedChar4, cudaResViewFormatUnsignedShort1, cudaResViewFormatUnsignedShort2,
    cudaResViewFormatUnsignedShort4, cudaResViewFormatSignedShort1, cudaResViewFormatSignedShort2,
    cudaResViewFormatSignedShort4, cudaResViewFormatUnsignedInt1, cudaResViewFormatUnsignedInt2,
    cudaResViewFormatUnsignedInt4, cudaResViewFormatSignedInt1, cudaResViewFormatSignedInt2,
    cudaResViewFormatSignedInt4, cudaResViewFormatHalf1, cudaResViewFormatHalf2, cudaResViewFormatHalf4,
    cudaResViewFormatFloat1, cudaResViewFormatFloat2, cudaResViewFormatFloat4,
    cudaResViewFormatUnsignedBlockCompressed1, cudaResViewFormatUnsignedBlockCompressed2,
    cudaResViewFormatUnsignedBlockCompressed3, cudaResViewFormatUnsignedBlockCompressed4,
    cudaResViewFormatSignedBlockCompressed4, cudaResViewFormatUnsignedBlockCompressed5,
    cudaResViewFormatSignedBlockCompressed5, cudaResViewFormatUnsignedBlockCompressed6H,
    cudaResViewFormatSignedBlockCompressed6H, cudaResViewFormatUnsignedBlockCompressed7 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout, cudaFuncAttributeClusterDimMustBeSet,
    cudaFuncAttributeRequiredClusterWidth, cudaFuncAttributeRequiredClusterHeight,
    cudaFuncAttributeRequiredClusterDepth, cudaFuncAttributeNonPortableClusterSizeAllowed,
    cudaFuncAttributeClusterSchedulingPolicyPreference, cudaFuncAttributeMax };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte
    };
enum cudaSharedCarveout { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxShared = 100,
    cudaSharedmemCarveoutMaxL1 = 0 };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited,
    cudaComputeModeExclusiveProcess };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth,
    cudaLimitDevRuntimePendingLaunchCount, cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize };
enum cudaMemoryAdvise { cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy };
enum cudaMemRangeAttribute { cudaMemRangeAttributeReadMostly = 1, cudaMemRangeAttributePreferredLocation,
    cudaMemRangeAttributeAccessedBy, cudaMemRangeAttributeLastPrefetchLocation,
    cudaMemRangeAttributePreferredLocationType, cudaMemRangeAttributePreferredLocationId,
    cudaMemRangeAttributeLastPrefetchLocationType, cudaMemRangeAttributeLastPrefetchLocationId };
enum cudaFlushGPUDirectRDMAWritesOptions { cudaFlushGPUDirectRDMAWritesOptionHost = 1,
    cudaFlushGPUDirectRDMAWritesOptionMemOps };
enum cudaGPUDirectRDMAWritesOrdering { cudaGPUDirectRDMAWritesOrderingNone, cudaGPUDirectRDMAWritesOrderingOwner =
    100, cudaGPUDirectRDMAWritesOrderingAllDevices = 200 };
enum cudaFlushGPUDirectRDMAWritesScope { cudaFlushGPUDirectRDMAWritesToOwner = 100,
    cudaFlushGPUDirectRDMAWritesToAllDevices = 200 };
enum cudaFlushGPUDirectRDMAWritesTarget { cudaFlushGPUDirectRDMAWritesTargetCurrentDevice };
enum cudaDeviceAttr { cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY,
    cudaDevAttrMaxBlockDimZ, cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ,
    cudaDevAttrMaxSharedMemoryPerBlock, cudaDevAttrTotalConstantMemory, cudaDevAttrWarpSize, cudaDevAttrMaxPitch,
    cudaDevAttrMaxRegistersPerBlock, cudaDevAttrClockRate, cudaDevAttrTextureAlignment, cudaDevAttrGpuOverlap,
    cudaDevAttrMultiProcessorCount, cudaDevAttrKernelExecTimeout, cudaDevAttrIntegrated, cudaDevAttrCanMapHostMemory,
    cudaDevAttrComputeMode, cudaDevAttrMaxTexture1DWidth, cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight,
    cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth,
    cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight, cudaDevAttrMaxTexture2DLayeredLayers,
    cudaDevAttrSurfaceAlignment, cudaDevAttrConcurrentKernels, cudaDevAttrEccEnabled, cudaDevAttrPciBusId,
    cudaDevAttrPciDeviceId, cudaDevAttrTccDriver, cudaDevAttrMemoryClockRate, cudaDevAttrGlobalMemoryBusWidth,
    cudaDevAttrL2CacheSize, cudaDevAttrMaxThreadsPerMultiProcessor, cudaDevAttrAsyncEngineCount,
    cudaDevAttrUnifiedAddressing, cudaDevAttrMaxTexture1DLayeredWidth, cudaDevAttrMaxTexture1DLayeredLayers,
    cudaDevAttrMaxTexture2DGatherWidth = 45, cudaDevAttrMaxTexture2DGatherHeight, cudaDevAttrMaxTexture3DWidthAlt,
    cudaDevAttrMaxTexture3DHeightAlt, cudaDevAttrMaxTexture3DDepthAlt, cudaDevAttrPciDomainId,
    cudaDevAttrTexturePitchAlignment, cudaDevAttrMaxTextureCubemapWidth, cudaDevAttrMaxTextureCubemapLayeredWidth,
    cudaDevAttrMaxTextureCubemapLayeredLayers, cudaDevAttrMaxSurface1DWidth, cudaDevAttrMaxSurface2DWidth,
    cudaDevAttrMaxSurface2DHeight, cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight,
    cudaDevAttrMaxSurface3DDepth, cudaDevAttrMaxSurface1DLayeredWidth, cudaDevAttrMaxSurface1DLayeredLayers,
    cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight, cudaDevAttrMaxSurface2DLayeredLayers,
    cudaDevAttrMaxSurfaceCubemapWidth, cudaDevAttrMaxSurfaceCubemapLayeredWidth,
    cudaDevAttrMaxSurfaceCubemapLayeredLayers, cudaDevAttrMaxTexture1DLinearWidth, cudaDevAttrMaxTexture2DLinearWidth,
    cudaDevAttrMaxTexture2DLinearHeight, cudaDevAttrMaxTexture2DLinearPitch, cudaDevAttrMaxTexture2DMipmappedWidth,
    cudaDevAttrMaxTexture2DMipmappedHeight, cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor,
    cudaDevAttrMaxTexture1DMipmappedWidth, cudaDevAttrStreamPrioritiesSupported, cudaDevAttrGlobalL1CacheSupported,
    cudaDevAttrLocalL1CacheSupported, cudaDevAttrMaxSharedMemoryPerMultiprocessor,
    cudaDevAttrMaxRegistersPerMultiprocessor, cudaDevAttrManagedMemory, cudaDevAttrIsMultiGpuBoard,
    cudaDevAttrMultiGpuBoardGroupID, cudaDevAttrHostNativeAtomicSupported,
    cudaDevAttrSingleToDoublePrecisionPerfRatio, cudaDevAttrPageableMemoryAccess, cudaDevAttrConcurrentManagedAccess,
    cudaDevAttrComputePreemptionSupported, cudaDevAttrCanUseHostPointerForRegisteredMem, cudaDevAttrReserved92,
    cudaDevAttrReserved93, cudaDevAttrReserved94, cudaDevAttrCooperativeLaunch, cudaDevAttrReserved96,
    cudaDevAttrMaxSharedMemoryPerBlockOptin, cudaDevAttrCanFlushRemoteWrites, cudaDevAttrHostRegisterSupported,
    cudaDevAttrPageableMemoryAccessUsesHostPageTables, cudaDevAttrDirectManagedMemAccessFromHost,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106, cudaDevAttrMaxPersistingL2CacheSize = 108,
    cudaDevAttrMaxAccessPolicyWindowSize, cudaDevAttrReservedSharedMemoryPerBlock = 111,
    cudaDevAttrSparseCudaArraySupported, cudaDevAttrHostRegisterReadOnlySupported,
    cudaDevAttrTimelineSemaphoreInteropSupported, cudaDevAttrMemoryPoolsSupported, cudaDevAttrGPUDirectRDMASupported,
    cudaDevAttrGPUDirectRDMAFlushWritesOptions, cudaDevAttrGPUDirectRDMAWritesOrdering,
    cudaDevAttrMemoryPoolSupportedHandleTypes, cudaDevAttrClusterLaunch, cudaDevAttrDeferredMappingCudaArraySupported,
    cudaDevAttrReserved122, cudaDevAttrReserved123, cudaDevAttrReserved124, cudaDevAttrIpcEventSupport,
    cudaDevAttrMemSyncDomainCount, cudaDevAttrReserved127, cudaDevAttrReserved128, cudaDevAttrReserved129,
    cudaDevAttrNumaConfig, cudaDevAttrNumaId, cudaDevAttrReserved132, cudaDevAttrMpsEnabled, cudaDevAttrHostNumaId,
    cudaDevAttrD3D12CigSupported, cudaDevAttrVulkanCigSupported = 138, cudaDevAttrGpuPciDeviceId,
    cudaDevAttrGpuPciSubsystemId, cudaDevAttrReserved141, cudaDevAttrHostNumaMemoryPoolsSupported,
    cudaDevAttrHostNumaMultinodeIpcSupported, cudaDevAttrHostMemoryPoolsSupported, cudaDevAttrReserved145,
    cudaDevAttrOnlyPartialHostNativeAtomicSupported = 147, cudaDevAttrMax };
enum cudaMemPoolAttr { cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic,
    cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReleaseThreshold, cudaMemPoolAttrReservedMemCurrent,
    cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh };
enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeNone = 0, cudaMemLocationTypeDevice,
    cudaMemLocationTypeHost, cudaMemLocationTypeHostNuma, cudaMemLocationTypeHostNumaCurrent };
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone, cudaMemAccessFlagsProtRead, cudaMemAccessFlagsProtReadWrite = 3
    };
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned, cudaMemAllocationTypeManaged,
    cudaMemAllocationTypeMax = 0x7fffffff };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor,
    cudaMemHandleTypeWin32, cudaMemHandleTypeWin32Kmt = 4, cudaMemHandleTypeFabric = 8 };
enum cudaGraphMemAttributeType { cudaGraphMemAttrUsedMemCurrent, cudaGraphMemAttrUsedMemHigh,
    cudaGraphMemAttrReservedMemCurrent, cudaGraphMemAttrReservedMemHigh };
enum cudaMemcpyFlags { cudaMemcpyFlagDefault, cudaMemcpyFlagPreferOverlapWithCompute };
enum cudaMemcpySrcAccessOrder { cudaMemcpySrcAccessOrderInvalid, cudaMemcpySrcAccessOrderStream,
    cudaMemcpySrcAccessOrderDuringApiCall, cudaMemcpySrcAccessOrderAny, cudaMemcpySrcAccessOrderMax = 0x7fffffff };
enum cudaMemcpy3DOperandType { cudaMemcpyOperandTypePointer = 1, cudaMemcpyOperandTypeArray, cudaMemcpyOperandTypeMax
    = 0x7fffffff };
enum cudaDeviceP2PAttr { cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported,
    cudaDevP2PAttrNativeAtomicSupported, cudaDevP2PAttrCudaArrayAccessSupported,
    cudaDevP2PAttrOnlyPartialNativeAtomicSupported };
enum cudaAtomicOperation { cudaAtomicOperationIntegerAdd, cudaAtomicOperationIntegerMin,
    cudaAtomicOperationIntegerMax, cudaAtomicOperationIntegerIncrement, cudaAtomicOperationIntegerDecrement,
    cudaAtomicOperationAnd, cudaAtomicOperationOr, cudaAtomicOperationXOR, cudaAtomicOperationExchange,
    cudaAtomicOperationCAS, cudaAtomicOperationFloatAdd, cudaAtomicOperationFloatMin, cudaAtomicOperationFloatMax };
enum cudaAtomicOperationCapability { cudaAtomicCapabilitySigned = 1, cudaAtomicCapabilityUnsigned,
    cudaAtomicCapabilityReduction = 4, cudaAtomicCapabilityScalar32 = 8, cudaAtomicCapabilityScalar64 = 16,
    cudaAtomicCapabilityScalar128 = 32, cudaAtomicCapabilityVector32x4 = 64 };
enum cudaExternalMemoryHandleType { cudaExternalMemoryHandleTypeOpaqueFd = 1, cudaExternalMemoryHandleTypeOpaqueWin32,
    cudaExternalMemoryHandleTypeOpaqueWin32Kmt, cudaExternalMemoryHandleTypeD3D12Heap,
    cudaExternalMemoryHandleTypeD3D12Resource, cudaExternalMemoryHandleTypeD3D11Resource,
    cudaExternalMemoryHandleTypeD3D11ResourceKmt, cudaExternalMemoryHandleTypeNvSciBuf };
enum cudaExternalSemaphoreHandleType { cudaExternalSemaphoreHandleTypeOpaqueFd = 1,
    cudaExternalSemaphoreHandleTypeOpaqueWin32, cudaExternalSemaphoreHandleTypeOpaqueWin32Kmt,
    cudaExternalSemaphoreHandleTypeD3D12Fence, cudaExternalSemaphoreHandleTypeD3D11Fence,
    cudaExternalSemaphoreHandleTypeNvSciSync, cudaExternalSemaphoreHandleTypeKeyedMutex,
    cudaExternalSemaphoreHandleTypeKeyedMutexKmt, cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd,
    cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32 };
enum cudaJitOption { cudaJitMaxRegisters, cudaJitThreadsPerBlock, cudaJitWallTime, cudaJitInfoLogBuffer,
    cudaJitInfoLogBufferSizeBytes, cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes, cudaJitOptimizationLevel,
    cudaJitFallbackStrategy = 10, cudaJitGenerateDebugInfo, cudaJitLogVerbose, cudaJitGenerateLineInfo,
    cudaJitCacheMode, cudaJitPositionIndependentCode = 30, cudaJitMinCtaPerSm, cudaJitMaxThreadsPerBlock,
    cudaJitOverrideDirectiveValues };
enum cudaLibraryOption { cudaLibraryHostUniversalFunctionAndDataTable, cudaLibraryBinaryIsPreserved };
enum cudaGraphConditionalHandleFlags { cudaGraphCondAssignDefault = 1 };
enum cudaGraphConditionalNodeType { cudaGraphCondTypeIf, cudaGraphCondTypeWhile, cudaGraphCondTypeSwitch };
enum cudaGraphNodeType { cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset,
    cudaGraphNodeTypeHost, cudaGraphNodeTypeGraph, cudaGraphNodeTypeEmpty, cudaGraphNodeTypeWaitEvent,
    cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeExtSemaphoreSignal, cudaGraphNodeTypeExtSemaphoreWait,
    cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree, cudaGraphNodeTypeConditional = 13, cudaGraphNodeTypeCount };
enum cudaGraphChildGraphNodeOwnership { cudaGraphChildGraphOwnershipClone, cudaGraphChildGraphOwnershipMove };
enum cudaGraphDependencyType_enum { cudaGraphDependencyTypeDefault, cudaGraphDependencyTypeProgrammatic };
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError,
    cudaGraphExecUpdateErrorTopologyChanged, cudaGraphExecUpdateErrorNodeTypeChanged,
    cudaGraphExecUpdateErrorFunctionChanged, cudaGraphExecUpdateErrorParametersChanged,
    cudaGraphExecUpdateErrorNotSupported, cudaGraphExecUpdateErrorUnsupportedFunctionChange,
    cudaGraphExecUpdateErrorAttributesChanged };
enum cudaGraphInstantiateResult { cudaGraphInstantiateSuccess, cudaGraphInstantiateError,
    cudaGraphInstantiateInvalidStructure, cudaGraphInstantiateNodeOperationNotSupported,
    cudaGraphInstantiateMultipleDevicesNotSupported, cudaGraphInstantiateConditionalHandleUnused };
enum cudaGraphKernelNodeField { cudaGraphKernelNodeFieldInvalid, cudaGraphKernelNodeFieldGridDim,
    cudaGraphKernelNodeFieldParam, cudaGraphKernelNodeFieldEnabled };
enum cudaGetDriverEntryPointFlags { cudaEnableDefault, cudaEnableLegacyStream, cudaEnablePerThreadDefaultStream };
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound,
    cudaDriverEntryPointVersionNotSufficent };
enum cudaGraphDebugDotFlags { cudaGraphDebugDotFlagsVerbose = 1, cudaGraphDebugDotFlagsKernelNodeParams = 4,
    cudaGraphDebugDotFlagsMemcpyNodeParams = 8, cudaGraphDebugDotFlagsMemsetNodeParams = 16,
    cudaGraphDebugDotFlagsHostNodeParams = 32, cudaGraphDebugDotFlagsEventNodeParams = 64,
    cudaGraphDebugDotFlagsExtSemasSignalNodeParams = 128, cudaGraphDebugDotFlagsExtSemasWaitNodeParams = 256,
    cudaGraphDebugDotFlagsKernelNodeAttributes = 512, cudaGraphDebugDotFlagsHandles = 1024,
    cudaGraphDebugDotFlagsConditionalNodeParams = 32768 };
enum cudaGraphInstantiateFlags { cudaGraphInstantiateFlagAutoFreeOnLaunch = 1, cudaGraphInstantiateFlagUpload,
    cudaGraphInstantiateFlagDeviceLaunch = 4, cudaGraphInstantiateFlagUseNodePriority = 8 };
enum cudaLaunchMemSyncDomain { cudaLaunchMemSyncDomainDefault, cudaLaunchMemSyncDomainRemote };
enum cudaLaunchAttributeID { cudaLaunchAttributeIgnore, cudaLaunchAttributeAccessPolicyWindow,
    cudaLaunchAttributeCooperative, cudaLaunchAttributeSynchronizationPolicy, cudaLaunchAttributeClusterDimension,
    cudaLaunchAttributeClusterSchedulingPolicyPreference, cudaLaunchAttributeProgrammaticStreamSerialization,
    cudaLaunchAttributeProgrammaticEvent, cudaLaunchAttributePriority, cudaLaunchAttributeMemSyncDomainMap,
    cudaLaunchAttributeMemSyncDomain, cudaLaunchAttributePreferredClusterDimension,
    cudaLaunchAttributeLaunchCompletionEvent, cudaLaunchAttributeDeviceUpdatableKernelNode,
    cudaLaunchAttributePreferredSharedMemoryCarveout, cudaLaunchAttributeNvlinkUtilCentricScheduling = 16 };
enum cudaDeviceNumaConfig { cudaDeviceNumaConfigNone, cudaDeviceNumaConfigNumaNode };
enum cudaAsyncNotificationType_enum { cudaAsyncNotificationTypeOverBudget = 1 };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum cudaSurfaceFormatMode { cudaFormatModeForced, cudaFormatModeAuto };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder
    };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
typedef enum cudaError cudaError_t;
typedef enum cudaGraphDependencyType_enum cudaGraphDependencyType;
typedef enum cudaAsyncNotificationType_enum cudaAsyncNotificationType;

#endif
