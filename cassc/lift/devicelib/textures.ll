; The table of texture and surface descriptors.
@__cassc_textures = protected addrspace(1) externally_initialized global [2 x i64] zeroinitializer, align 16
