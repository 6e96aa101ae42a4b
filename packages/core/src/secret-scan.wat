;; Where a mark may begin: sixteen bytes at a time, all marks at once.
;;
;; A mark is at most four bytes, one a place; marks stand in eight groups, one bit each. For each place two tables of sixteen tell
;; by the low and by the high half of a byte in which groups it may stand there. A byte begins a mark of a group if that bit is left
;; when the tables of all four places are taken together. The tables lie at 0, two times sixteen bytes a place; the text behind them.
(module
  (memory (export "memory") 2)
  ;; The first place from $at on where a mark may begin; -1 if there is none before $end.
  (func (export "scan") (param $at i32) (param $end i32) (result i32)
    (local $bytes v128) (local $groups v128) (local $half v128)
    (local $low0 v128) (local $high0 v128) (local $low1 v128) (local $high1 v128)
    (local $low2 v128) (local $high2 v128) (local $low3 v128) (local $high3 v128)
    (local.set $half (v128.const i8x16 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15))
    (local.set $low0 (v128.load (i32.const 0)))
    (local.set $high0 (v128.load (i32.const 16)))
    (local.set $low1 (v128.load (i32.const 32)))
    (local.set $high1 (v128.load (i32.const 48)))
    (local.set $low2 (v128.load (i32.const 64)))
    (local.set $high2 (v128.load (i32.const 80)))
    (local.set $low3 (v128.load (i32.const 96)))
    (local.set $high3 (v128.load (i32.const 112)))
    (loop $next
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const -1))))
      (local.set $bytes (v128.load (local.get $at)))
      (local.set $groups
        (v128.and
          (i8x16.swizzle (local.get $low0) (v128.and (local.get $bytes) (local.get $half)))
          (i8x16.swizzle (local.get $high0) (i8x16.shr_u (local.get $bytes) (i32.const 4)))))
      (local.set $bytes (v128.load offset=1 (local.get $at)))
      (local.set $groups
        (v128.and (local.get $groups) (v128.and
          (i8x16.swizzle (local.get $low1) (v128.and (local.get $bytes) (local.get $half)))
          (i8x16.swizzle (local.get $high1) (i8x16.shr_u (local.get $bytes) (i32.const 4))))))
      (local.set $bytes (v128.load offset=2 (local.get $at)))
      (local.set $groups
        (v128.and (local.get $groups) (v128.and
          (i8x16.swizzle (local.get $low2) (v128.and (local.get $bytes) (local.get $half)))
          (i8x16.swizzle (local.get $high2) (i8x16.shr_u (local.get $bytes) (i32.const 4))))))
      (local.set $bytes (v128.load offset=3 (local.get $at)))
      (local.set $groups
        (v128.and (local.get $groups) (v128.and
          (i8x16.swizzle (local.get $low3) (v128.and (local.get $bytes) (local.get $half)))
          (i8x16.swizzle (local.get $high3) (i8x16.shr_u (local.get $bytes) (i32.const 4))))))
      (if (v128.any_true (local.get $groups))
        (then
          (return (i32.add
            (local.get $at)
            (i32.ctz (i8x16.bitmask (i8x16.ne (local.get $groups) (v128.const i64x2 0 0))))))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br $next))
    (unreachable)))
