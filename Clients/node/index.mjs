import client from "./index.cjs";

export const postern = client.postern;
