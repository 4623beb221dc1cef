declare module "#host" {
  export const openHost: typeof import("./host-stand-in.ts").openHost;
}
