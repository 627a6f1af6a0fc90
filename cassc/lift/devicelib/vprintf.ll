; i32 vprintf(format, arguments): a record in the FIFO. Gives the number of arguments, or -1 when there is no room.
@__cassc_printf = protected addrspace(1) externally_initialized global [2 x i64] zeroinitializer, align 16

define internal i32 @__cassc_vprintf(i64 %format, i64 %arguments) alwaysinline nounwind {
entry:
  br label %text

; Outside of a conversion: look for '%'.
text:
  %p = phi i64 [ %format, %entry ], [ %p.text, %text.next ], [ %p.after, %conversion.end ]
  %bytes = phi i32 [ 0, %entry ], [ %bytes, %text.next ], [ %bytes.after, %conversion.end ]
  %count = phi i32 [ 0, %entry ], [ %count, %text.next ], [ %count.after, %conversion.end ]
  %c.pointer = inttoptr i64 %p to ptr
  %c = load i8, ptr %c.pointer, align 1
  switch i8 %c, label %text.next [
    i8 0, label %sized
    i8 37, label %conversion
  ]
text.next:
  %p.text = add i64 %p, 1
  br label %text

; Inside of one: flags, width and precision are passed over; '*' takes an int; l, j, z, t and q make integers wide.
conversion:
  br label %letter
letter:
  %q.before = phi i64 [ %p, %conversion ], [ %q, %letter.next ]
  %b = phi i32 [ %bytes, %conversion ], [ %b.next, %letter.next ]
  %n = phi i32 [ %count, %conversion ], [ %n.next, %letter.next ]
  %wide = phi i1 [ false, %conversion ], [ %wide.next, %letter.next ]
  %q = add i64 %q.before, 1
  %d.pointer = inttoptr i64 %q to ptr
  %d = load i8, ptr %d.pointer, align 1
  switch i8 %d, label %letter.next [
    i8 0, label %sized
    i8 37, label %conversion.end
    i8 42, label %star
    i8 106, label %long
    i8 108, label %long
    i8 113, label %long
    i8 116, label %long
    i8 122, label %long
    i8 65, label %eight
    i8 69, label %eight
    i8 70, label %eight
    i8 71, label %eight
    i8 97, label %eight
    i8 101, label %eight
    i8 102, label %eight
    i8 103, label %eight
    i8 110, label %eight
    i8 112, label %eight
    i8 115, label %eight
    i8 88, label %integer
    i8 99, label %integer
    i8 100, label %integer
    i8 105, label %integer
    i8 111, label %integer
    i8 117, label %integer
    i8 120, label %integer
  ]
star:
  %b.star = add i32 %b, 4
  %n.star = add i32 %n, 1
  br label %letter.next
long:
  br label %letter.next
letter.next:
  %b.next = phi i32 [ %b, %letter ], [ %b, %long ], [ %b.star, %star ]
  %n.next = phi i32 [ %n, %letter ], [ %n, %long ], [ %n.star, %star ]
  %wide.next = phi i1 [ %wide, %letter ], [ true, %long ], [ %wide, %star ]
  br label %letter
integer:
  br i1 %wide, label %eight, label %four
four:
  %b.four = add i32 %b, 4
  %n.four = add i32 %n, 1
  br label %conversion.end
eight:
  %b.up = add i32 %b, 7
  %b.aligned = and i32 %b.up, -8
  %b.eight = add i32 %b.aligned, 8
  %n.eight = add i32 %n, 1
  br label %conversion.end
conversion.end:
  %bytes.after = phi i32 [ %b, %letter ], [ %b.four, %four ], [ %b.eight, %eight ]
  %count.after = phi i32 [ %n, %letter ], [ %n.four, %four ], [ %n.eight, %eight ]
  %p.after = add i64 %q, 1
  br label %text

sized:
  %size.arguments = phi i32 [ %bytes, %text ], [ %b, %letter ]
  %arguments.count = phi i32 [ %count, %text ], [ %n, %letter ]
  %buffer = load i64, ptr addrspace(1) @__cassc_printf, align 16
  %absent = icmp eq i64 %buffer, 0
  br i1 %absent, label %full, label %reserve
reserve:
  %header = inttoptr i64 %buffer to ptr addrspace(1)
  %up = add i32 %size.arguments, 23
  %size = and i32 %up, -8
  %start = atomicrmw add ptr addrspace(1) %header, i32 %size syncscope("agent") monotonic, align 8
  %capacity.pointer = getelementptr i8, ptr addrspace(1) %header, i64 4
  %capacity = load i32, ptr addrspace(1) %capacity.pointer, align 4
  %data = getelementptr i8, ptr addrspace(1) %header, i64 8
  %start.wide = zext i32 %start to i64
  %record = getelementptr i8, ptr addrspace(1) %data, i64 %start.wide
  %size.wide = zext i32 %size to i64
  %behind = add i64 %start.wide, %size.wide
  %capacity.wide = zext i32 %capacity to i64
  %fits = icmp ule i64 %behind, %capacity.wide
  br i1 %fits, label %fill, label %refuse
refuse:
  %header.end = add i64 %start.wide, 8
  %marked = icmp ule i64 %header.end, %capacity.wide
  br i1 %marked, label %mark, label %full
mark:
  store i32 0, ptr addrspace(1) %record, align 8
  br label %full
full:
  ret i32 -1
fill:
  store i32 %size, ptr addrspace(1) %record, align 8
  %bytes.pointer = getelementptr i8, ptr addrspace(1) %record, i64 4
  store i32 %size.arguments, ptr addrspace(1) %bytes.pointer, align 4
  %format.pointer = getelementptr i8, ptr addrspace(1) %record, i64 8
  store i64 %format, ptr addrspace(1) %format.pointer, align 8
  %values = getelementptr i8, ptr addrspace(1) %record, i64 16
  %some = icmp ne i32 %size.arguments, 0
  br i1 %some, label %copy, label %filled
copy:
  %k = phi i32 [ 0, %fill ], [ %k.next, %copy ]
  %k.wide = zext i32 %k to i64
  %from = add i64 %arguments, %k.wide
  %from.pointer = inttoptr i64 %from to ptr
  %word = load i32, ptr %from.pointer, align 4
  %to = getelementptr i8, ptr addrspace(1) %values, i64 %k.wide
  store i32 %word, ptr addrspace(1) %to, align 4
  %k.next = add i32 %k, 4
  %more = icmp ult i32 %k.next, %size.arguments
  br i1 %more, label %copy, label %filled
filled:
  ret i32 %arguments.count
}
