// Only CSAML includes the library's headers, with the definitions that they need.
