; Barriers of a part of the CTA, which the target lacks. In LDS from address 16 on, 32 bytes for each of the 16 barriers:
; {u32 threads that arrived in bits 0-15 and number of the phase above, u32 votes, u32 unused[2], u32 votes of the last
; four phases}. The wave whose arrival completes a phase leaves its votes in the ring, and counts the phase up; others
; wait for that. A wave may arrive for the next phase before the count is taken back, and then waits for one more.

define internal ptr addrspace(3) @__cassc_barrier(i32 %id) alwaysinline nounwind {
  %offset = shl i32 %id, 5
  %address = add i32 %offset, 16
  %slot = inttoptr i32 %address to ptr addrspace(3)
  ret ptr addrspace(3) %slot
}

; The phase that the wave's threads (%count of them) arrived for. All operands are the same in all lanes.
define internal i32 @__cassc_barrier_arrive(i32 %id, i32 %needed, i32 %count, i32 %votes) alwaysinline convergent nounwind {
entry:
  %slot = call ptr addrspace(3) @__cassc_barrier(i32 %id)
  fence syncscope("workgroup") release
  %executing = call i32 @llvm.amdgcn.ballot.i32(i1 true)
  %below = call i32 @llvm.amdgcn.mbcnt.lo(i32 %executing, i32 0)
  %leads = icmp eq i32 %below, 0
  br i1 %leads, label %leader, label %together
leader:
  %sum = getelementptr i8, ptr addrspace(3) %slot, i32 4
  %before = atomicrmw add ptr addrspace(3) %sum, i32 %votes syncscope("workgroup") monotonic, align 4
  %old = atomicrmw add ptr addrspace(3) %slot, i32 %count syncscope("workgroup") acq_rel, align 4
  %arrived = and i32 %old, 65535
  %early = icmp uge i32 %arrived, %needed
  %started = lshr i32 %old, 16
  %later = zext i1 %early to i32
  %number = add i32 %started, %later
  %phase = and i32 %number, 65535
  %all = add i32 %arrived, %count
  %complete = icmp eq i32 %all, %needed
  br i1 %complete, label %open, label %left
open:
  %total = atomicrmw xchg ptr addrspace(3) %sum, i32 0 syncscope("workgroup") monotonic, align 4
  %turn = and i32 %phase, 3
  %place = shl i32 %turn, 2
  %at = add i32 %place, 16
  %kept = getelementptr i8, ptr addrspace(3) %slot, i32 %at
  store atomic i32 %total, ptr addrspace(3) %kept syncscope("workgroup") monotonic, align 4
  %step = sub i32 65536, %needed
  %done = atomicrmw add ptr addrspace(3) %slot, i32 %step syncscope("workgroup") acq_rel, align 4
  br label %left
left:
  br label %together
together:
  %own = phi i32 [ 0, %entry ], [ %phase, %left ]
  %result = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %own)
  ret i32 %result
}

; Waits for the end of a phase, and gives its votes.
define internal i32 @__cassc_barrier_wait(i32 %id, i32 %phase) alwaysinline convergent nounwind {
entry:
  %slot = call ptr addrspace(3) @__cassc_barrier(i32 %id)
  br label %look
look:
  %state = load atomic volatile i32, ptr addrspace(3) %slot syncscope("workgroup") monotonic, align 4
  %seen = lshr i32 %state, 16
  %now = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %seen)
  %same = icmp eq i32 %now, %phase
  br i1 %same, label %sleep, label %passed
sleep:
  call void @llvm.amdgcn.s.sleep(i32 1)
  br label %look
passed:
  fence syncscope("workgroup") acquire
  %turn = and i32 %phase, 3
  %place = shl i32 %turn, 2
  %at = add i32 %place, 16
  %kept = getelementptr i8, ptr addrspace(3) %slot, i32 %at
  %votes = load atomic i32, ptr addrspace(3) %kept syncscope("workgroup") monotonic, align 4
  ret i32 %votes
}

declare i32 @llvm.amdgcn.ballot.i32(i1)
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare void @llvm.amdgcn.s.sleep(i32 immarg)
