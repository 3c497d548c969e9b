; Three ways to the same assertion, each with a reason of its own for it to hold: the example of a paper on predicate
; abstraction that stays predictable when it is distributed. Which way is refuted first decides which predicates are found.
;~ VERDICT verified
(set-logic HORN)
(declare-fun copied (Int Int) Bool)
(declare-fun two (Int Int) Bool)
(declare-fun one (Int Int) Bool)
(declare-fun raised (Int Int) Bool)
(declare-fun last (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (>= x 1) (copied x y))))
(assert (forall ((x Int) (y Int)) (=> (= y 2) (two x y))))
(assert (forall ((x Int) (y Int)) (=> (= y 1) (one x y))))
(assert (forall ((x Int) (y Int)) (=> (copied x y) (last x x))))
(assert (forall ((x Int) (y Int)) (=> (two x y) (last x y))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (one x y) (= z (+ y 1))) (raised x z))))
(assert (forall ((x Int) (y Int)) (=> (raised x y) (last x y))))
(assert (forall ((x Int) (y Int)) (=> (and (last x y) (< y 1)) false)))
(check-sat)
