/* Who asks, where the server was told to ask a proxy: nobody is taken for who they say they are. */
#include <string.h>

#include "conn/connection.h"
#include "front/state.h"
#include "link/relaying.h"
#include "support/cmocka.h"

TEST(test_identity_is_never_guessed)
{
    static struct gz_net net = {.trust_header = "x-remote-user:"};
    struct gz_said said = {.name = {"eve", 3}, .proxy_user = "", .wants_admin = true};
    struct gz_claims claims;
    struct gz_error error;
    assert_int_equal(gz_identify(&net, &said, &claims, &error), GZ_UNAUTHORISED);
    assert_string_equal(claims.user, "");
    assert_false(claims.has_role);
    said.proxy_user = "ada";
    assert_int_equal(gz_identify(&net, &said, &claims, &error), GZ_OK);
    assert_string_equal(claims.user, "ada");
    net.trust_header[0] = '\0';
    said.proxy_user = "";
    assert_int_equal(gz_identify(&net, &said, &claims, &error), GZ_OK);
    assert_string_equal(claims.user, "eve");
}
