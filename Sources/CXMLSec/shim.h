// Only CSAML includes the headers of the library, with the definitions that they need.
