import type { Settings } from "../../config/schema.ts";
import { Commented, nixFile } from "../nix.ts";
import type { FlakeFile } from "./flake-file.ts";

/** Who may log in: the admin, by key. Root has neither a key nor a password. */
export function usersFile(admin: Settings["admin"]): FlakeFile {
  const text = nixFile({
    users: {
      mutableUsers: new Commented("Passwords are as these files say: nobody has one.", false),
      users: {
        [admin.user]: {
          isNormalUser: true,
          extraGroups: ["wheel"],
          openssh: { authorizedKeys: { keys: admin.authorizedKeys } },
        },
      },
    },
    security: { sudo: { wheelNeedsPassword: new Commented("There is no password to ask for.", false) } },
  });
  return { name: "users.nix", text };
}
