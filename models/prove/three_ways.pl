% Three ways to the same assertion, each with a reason of its own for it to hold.
%~ VERDICT verified
var2names(p(pc(_), data(X, Y)), [(X, 'x'), (Y, 'y')]).
start(pc(start)).
error(pc(wrong)).
r(p(pc(start), data(X, Y)), p(pc(copied), data(Xp, Yp)), [X >= 1], [Xp = X, Yp = Y], 1).
stmtsrc(1, 'assume(x >= 1);').
r(p(pc(start), data(X, Y)), p(pc(last), data(Xp, Yp)), [], [Xp = X, Yp = 2], 2).
stmtsrc(2, 'y = 2;').
r(p(pc(start), data(X, Y)), p(pc(one), data(Xp, Yp)), [], [Xp = X, Yp = 1], 3).
stmtsrc(3, 'y = 1;').
r(p(pc(copied), data(X, Y)), p(pc(last), data(Xp, Yp)), [], [Xp = X, Yp = X], 4).
stmtsrc(4, 'y = x;').
r(p(pc(one), data(X, Y)), p(pc(last), data(Xp, Yp)), [], [Xp = X, Yp = Y + 1], 5).
stmtsrc(5, 'y = y + 1;').
r(p(pc(last), data(X, Y)), p(pc(wrong), data(Xp, Yp)), [Y + 1 =< 1], [Xp = X, Yp = Y], 6).
stmtsrc(6, 'assume(y < 1);').
