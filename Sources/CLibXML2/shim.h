// Only CSAML includes the headers of the library.
