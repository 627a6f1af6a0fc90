; malloc, free and __cuda_syscall_aligned_malloc over a heap that the host formats and names in @__cassc_heap.
;
; The heap: {u32 units, u32 hint, u32 withdrawals, u32 0, u64 address of unit 0}, at 64 a bit for each unit of 16 bytes.
; A block is a run of units whose bits are set; in the 16 bytes before its payload: {u32 mark, u32 first unit, u32 units, u32 0}.
; Bits are claimed word by word, in the order of addresses. Whoever meets a bit that another claimed gives back what it has
; and looks further, so that of several claims at least one succeeds, and no lane ever waits for another.
@__cassc_heap = protected addrspace(1) externally_initialized global [2 x i64] zeroinitializer, align 16

; i64 malloc(bytes, alignment): 0 where no run of units is free, or for an alignment that is no power of two.
define internal i64 @__cassc_malloc(i64 %bytes, i64 %asked) alwaysinline nounwind {
entry:
  %at = alloca i32, addrspace(5)
  %run = alloca i32, addrspace(5)
  %claimed = alloca i32, addrspace(5)
  %seen = alloca i32, addrspace(5)
  %heap.address = load i64, ptr addrspace(1) @__cassc_heap, align 16
  %absent = icmp eq i64 %heap.address, 0
  %powers = call i64 @llvm.ctpop.i64(i64 %asked)
  %several = icmp ne i64 %powers, 1
  %refused = or i1 %absent, %several
  br i1 %refused, label %none, label %measure
measure:
  %alignment = call i64 @llvm.umax.i64(i64 %asked, i64 16)
  %heap = inttoptr i64 %heap.address to ptr addrspace(1)
  %hint.pointer = getelementptr i8, ptr addrspace(1) %heap, i64 4
  %withdrawals = getelementptr i8, ptr addrspace(1) %heap, i64 8
  %base.pointer = getelementptr i8, ptr addrspace(1) %heap, i64 16
  %bits = getelementptr i8, ptr addrspace(1) %heap, i64 64
  %total = load i32, ptr addrspace(1) %heap, align 64
  %base = load i64, ptr addrspace(1) %base.pointer, align 16
  %total.wide = zext i32 %total to i64
  %room = shl i64 %total.wide, 4
  %too.large = icmp ugt i64 %bytes, %room
  %too.aligned = icmp ugt i64 %alignment, %room
  %impossible = or i1 %too.large, %too.aligned
  br i1 %impossible, label %none, label %sized
sized:
  ; A unit for the header, the payload, and what the alignment may leave unused in front.
  %padded = add i64 %bytes, %alignment
  %padded.up = add i64 %padded, 15
  %need.wide = lshr i64 %padded.up, 4
  %need = trunc i64 %need.wide to i32
  %hint = load atomic i32, ptr addrspace(1) %hint.pointer syncscope("agent") monotonic, align 4
  %first = shl i32 %hint, 5
  store i32 %first, ptr addrspace(5) %at
  store i32 %first, ptr addrspace(5) %run
  store i32 0, ptr addrspace(5) %seen
  br label %scan

; Extend the run of free units, a word at a time.
scan:
  %p = load i32, ptr addrspace(5) %at
  %over = icmp uge i32 %p, %total
  br i1 %over, label %end.reached, label %look
look:
  %word.index = lshr i32 %p, 5
  %word.wide = zext i32 %word.index to i64
  %word.pointer = getelementptr i32, ptr addrspace(1) %bits, i64 %word.wide
  %word = load atomic i32, ptr addrspace(1) %word.pointer syncscope("agent") monotonic, align 4
  %shift = and i32 %p, 31
  %rest = sub i32 32, %shift
  %shifted = lshr i32 %word, %shift
  %zeros = call i32 @llvm.cttz.i32(i32 %shifted, i1 false)
  %free = call i32 @llvm.umin.i32(i32 %zeros, i32 %rest)
  %free.end = add i32 %p, %free
  %start = load i32, ptr addrspace(5) %run
  %length = sub i32 %free.end, %start
  %enough = icmp uge i32 %length, %need
  br i1 %enough, label %claim, label %short
short:
  store i32 %free.end, ptr addrspace(5) %at
  %whole = icmp eq i32 %free, %rest
  br i1 %whole, label %scan, label %occupied
occupied:
  ; Behind the units that are taken: those set from here on in this word.
  %behind = lshr i32 %shifted, %free
  %inverted = xor i32 %behind, -1
  %ones = call i32 @llvm.cttz.i32(i32 %inverted, i1 false)
  %left = sub i32 %rest, %free
  %taken = call i32 @llvm.umin.i32(i32 %ones, i32 %left)
  %next = add i32 %free.end, %taken
  store i32 %next, ptr addrspace(5) %at
  store i32 %next, ptr addrspace(5) %run
  br label %scan

; The first pass began at the hint. A pass from the start that found nothing ends the search, unless others withdrew
; claims meanwhile, which may have hidden free units.
end.reached:
  %last.seen = load i32, ptr addrspace(5) %seen
  %now = load atomic i32, ptr addrspace(1) %withdrawals syncscope("agent") monotonic, align 8
  %mark.now = or i32 %now, -2147483648
  %settled = icmp eq i32 %last.seen, %mark.now
  br i1 %settled, label %none, label %again
again:
  store i32 %mark.now, ptr addrspace(5) %seen
  store i32 0, ptr addrspace(5) %at
  store i32 0, ptr addrspace(5) %run
  br label %scan

claim:
  %claim.end = add i32 %start, %need
  store i32 %start, ptr addrspace(5) %claimed
  br label %claim.word
claim.word:
  %c = load i32, ptr addrspace(5) %claimed
  %c.shift = and i32 %c, 31
  %c.rest = sub i32 32, %c.shift
  %c.left = sub i32 %claim.end, %c
  %c.count = call i32 @llvm.umin.i32(i32 %c.rest, i32 %c.left)
  %c.unused = sub i32 32, %c.count
  %c.ones = lshr i32 -1, %c.unused
  %c.mask = shl i32 %c.ones, %c.shift
  %c.index = lshr i32 %c, 5
  %c.wide = zext i32 %c.index to i64
  %c.pointer = getelementptr i32, ptr addrspace(1) %bits, i64 %c.wide
  %c.old = atomicrmw or ptr addrspace(1) %c.pointer, i32 %c.mask syncscope("agent") monotonic, align 4
  %c.met = and i32 %c.old, %c.mask
  %c.clear = icmp eq i32 %c.met, 0
  br i1 %c.clear, label %claim.next, label %withdraw
claim.next:
  %c.end = add i32 %c, %c.count
  store i32 %c.end, ptr addrspace(5) %claimed
  %complete = icmp eq i32 %c.end, %claim.end
  br i1 %complete, label %success, label %claim.word

; Give back what this claim set, in this word and in those before, and go on from this word.
withdraw:
  %w.mine = xor i32 %c.met, -1
  %w.set = and i32 %c.mask, %w.mine
  %w.keep = xor i32 %w.set, -1
  %w.old = atomicrmw and ptr addrspace(1) %c.pointer, i32 %w.keep syncscope("agent") monotonic, align 4
  call void @__cassc_heap_clear(ptr addrspace(1) %bits, i32 %start, i32 %c)
  %w.count = atomicrmw add ptr addrspace(1) %withdrawals, i32 1 syncscope("agent") monotonic, align 8
  store i32 %c, ptr addrspace(5) %at
  store i32 %c, ptr addrspace(5) %run
  br label %scan

success:
  %hint.new = lshr i32 %claim.end, 5
  ; A swap, since an atomic store is no other machine code than a plain one, which checks of races look at.
  %hint.old = atomicrmw xchg ptr addrspace(1) %hint.pointer, i32 %hint.new syncscope("agent") monotonic
  fence syncscope("agent") acquire
  %start.wide = zext i32 %start to i64
  %start.bytes = shl i64 %start.wide, 4
  %block = add i64 %base, %start.bytes
  ; The payload: behind the header, at the next multiple of the alignment.
  %least = add i64 %block, 15
  %least.up = add i64 %least, %alignment
  %negative = sub i64 0, %alignment
  %payload = and i64 %least.up, %negative
  %header.address = sub i64 %payload, 16
  %header = inttoptr i64 %header.address to ptr addrspace(1)
  %h.1 = insertelement <4 x i32> <i32 -900357872, i32 0, i32 0, i32 0>, i32 %start, i32 1
  %h.2 = insertelement <4 x i32> %h.1, i32 %need, i32 2
  store <4 x i32> %h.2, ptr addrspace(1) %header, align 16
  ret i64 %payload
none:
  ret i64 0
}

; void free(pointer): null does nothing; a pointer that no block has, or has no longer, ends the launch.
define internal void @__cassc_free(i64 %pointer) alwaysinline nounwind {
entry:
  %nothing = icmp eq i64 %pointer, 0
  br i1 %nothing, label %done, label %check
check:
  %heap.address = load i64, ptr addrspace(1) @__cassc_heap, align 16
  %absent = icmp eq i64 %heap.address, 0
  br i1 %absent, label %wrong, label %inside
inside:
  %heap = inttoptr i64 %heap.address to ptr addrspace(1)
  %base.pointer = getelementptr i8, ptr addrspace(1) %heap, i64 16
  %total = load i32, ptr addrspace(1) %heap, align 64
  %base = load i64, ptr addrspace(1) %base.pointer, align 16
  %total.wide = zext i32 %total to i64
  %room = shl i64 %total.wide, 4
  %header.address = sub i64 %pointer, 16
  %offset = sub i64 %header.address, %base
  %outside = icmp uge i64 %offset, %room
  %low = and i64 %offset, 15
  %odd = icmp ne i64 %low, 0
  %bad = or i1 %outside, %odd
  br i1 %bad, label %wrong, label %marked
marked:
  ; The mark goes first, so that of two calls for one block one fails.
  %header = inttoptr i64 %header.address to ptr addrspace(1)
  fence syncscope("agent") acq_rel
  %both = cmpxchg ptr addrspace(1) %header, i32 -900357872, i32 0 syncscope("agent") monotonic monotonic, align 16
  %live = extractvalue { i32, i1 } %both, 1
  br i1 %live, label %release, label %wrong
release:
  %first.pointer = getelementptr i8, ptr addrspace(1) %header, i64 4
  %count.pointer = getelementptr i8, ptr addrspace(1) %header, i64 8
  %first = load i32, ptr addrspace(1) %first.pointer, align 4
  %count = load i32, ptr addrspace(1) %count.pointer, align 8
  %end = add i32 %first, %count
  %bits = getelementptr i8, ptr addrspace(1) %heap, i64 64
  call void @__cassc_heap_clear(ptr addrspace(1) %bits, i32 %first, i32 %end)
  br label %done
wrong:
  call void @llvm.trap()
  br label %done
done:
  ret void
}

; Clear the bits of the units [first, end).
define internal void @__cassc_heap_clear(ptr addrspace(1) %bits, i32 %first, i32 %end) alwaysinline nounwind {
entry:
  br label %test
test:
  %p = phi i32 [ %first, %entry ], [ %p.next, %word ]
  %more = icmp ult i32 %p, %end
  br i1 %more, label %word, label %done
word:
  %shift = and i32 %p, 31
  %rest = sub i32 32, %shift
  %left = sub i32 %end, %p
  %count = call i32 @llvm.umin.i32(i32 %rest, i32 %left)
  %unused = sub i32 32, %count
  %ones = lshr i32 -1, %unused
  %mask = shl i32 %ones, %shift
  %keep = xor i32 %mask, -1
  %index = lshr i32 %p, 5
  %wide = zext i32 %index to i64
  %pointer = getelementptr i32, ptr addrspace(1) %bits, i64 %wide
  %old = atomicrmw and ptr addrspace(1) %pointer, i32 %keep syncscope("agent") monotonic, align 4
  %p.next = add i32 %p, %count
  br label %test
done:
  ret void
}

declare i32 @llvm.cttz.i32(i32, i1 immarg)
declare i32 @llvm.umin.i32(i32, i32)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.ctpop.i64(i64)
declare void @llvm.trap()
