function f(r,a) return a+1 end
