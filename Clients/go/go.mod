module postern

go 1.19
